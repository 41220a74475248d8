"""Steering a running campaign from another process."""

import json
import unittest

from program import Scenario, fenced, wrong


class Steering(Scenario):
    def start_long(self):
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 100} for n in range(200)])
        self.config(server.model(), candidates=200, parallel=1)
        run = self.start()
        run.wait("node")
        return server, run

    def steer(self, *args, code=0):
        return self.call(*args, "--config", "campaign.toml", code=code)

    def test_pause_resume_stop(self):
        """pause lets what is in flight end and begins nothing, resume goes on, stop ends the campaign for good."""
        server, run = self.start_long()
        self.steer("pause")
        run.wait("progress", where=lambda e: e["state"] == "paused" and e["in_flight"] == 0)
        asked = server.requests()
        live, campaign = self.status()
        self.assertTrue(live)
        self.assertEqual(campaign["state"], "paused")
        for _ in range(3):
            run.wait("progress")
        self.assertEqual(server.requests(), asked, "a paused campaign asked")
        self.steer("resume")
        run.wait("node")
        self.steer("stop")
        self.assertEqual(run.end(), 1, run.told())
        live, campaign = self.status()
        self.assertFalse(live)
        self.assertEqual((campaign["state"], campaign["stop_reason"]), ("finished", "stopped"))
        self.assert_acks_kept(run.acks())
        self.assert_sound()
        self.assert_nothing_left()

    def test_hint_and_set(self):
        """A hint comes into later prompts; a changed budget ends the campaign; both are in the journal."""
        _, run = self.start_long()
        self.steer("hint", "0", "mind the tail of the vector")
        known = max(run.acks())
        new = run.wait("node", where=lambda e: e["node"] > known + 2)["node"]
        prompt = json.dumps(self.json("show", str(new)))
        self.assertIn("mind the tail of the vector", prompt)
        self.steer("set", f"budget.candidates={new + 2}")
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual((campaign["stop_reason"], campaign["budget"]["candidates"]), ("budget.candidates", new + 2))
        self.assert_sound()

    def test_wrong_steering(self):
        """An unknown key, a missing value and a steering without an owner are refused with 2, and change nothing."""
        _, run = self.start_long()
        done = self.steer("set", "budget.candidate=3", code=2)
        self.assertIn('did you mean "candidates"', done.stderr)
        self.steer("set", "budget.candidates", code=2)
        self.assertIn("--fresh", self.steer("set", "search.policy=greedy", code=2).stderr)
        self.assertIn("9999", self.steer("hint", "9999", "no such node", code=2).stderr)
        self.steer("set", "budget.candidates=none", code=2)
        self.steer("stop")
        self.assertEqual(run.end(), 1)
        self.steer("pause", code=2)

    def test_live_and_killed(self):
        """status says live while the owner lives, and not live after a kill; tree and best answer both times."""
        _, run = self.start_long()
        live, campaign = self.status()
        self.assertTrue(live)
        self.assertEqual(campaign["state"], "running")
        self.assertEqual([w["name"] for w in campaign["workers"]], ["local"])
        self.assertIn(1, self.tree())
        run.kill()
        live, campaign = self.status()
        self.assertFalse(live)
        self.assert_acks_kept(run.acks())
        self.assertEqual(self.json("best", code=1), [])
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
