"""A campaign from the first start to the commands that read it."""

import json
import os
import re
import subprocess
import sys
import unittest

from program import OPEN_STATES, Scenario, fenced, playbook, wrong


class Campaign(Scenario):
    def test_playbook(self):
        """A campaign with the playbook on a tiny problem finishes with 0, and status, best and tree hold what they promise."""
        self.config(playbook(), candidates=6)
        run = self.start("--trace", "trace.json")
        first = run.wait("campaign")
        self.assertEqual((first["campaign"], first["state"]), ("tiny", "running"))
        self.assertEqual(run.end(), 0, run.told())
        self.assertTrue(run.acks(), "no node was acknowledged")
        stop = [e for e in run.events if e["event"] == "stop"]
        self.assertEqual(len(stop), 1)
        self.assertEqual((stop[0]["state"], stop[0]["reason"]), ("finished", "target"))

        live, campaign = self.status()
        self.assertFalse(live)
        for field in ("name", "state", "stop_reason", "nodes", "failures", "in_flight", "best", "spend", "budget", "workers"):
            self.assertIn(field, campaign)
        self.assertEqual((campaign["state"], campaign["stop_reason"], campaign["in_flight"]), ("finished", "target", 0))
        self.assertEqual(set(campaign["spend"]), {"requests", "input_tokens", "output_tokens", "usd", "device_s"})
        self.assertGreater(campaign["spend"]["device_s"], 0)

        tree = self.tree()
        fields = {"id", "parents", "state", "score", "scores", "decision", "model", "memory", "prompt", "source", "duplicate_of"}
        for node in tree.values():
            self.assertEqual(set(node), fields)
            self.assertNotIn(node["state"], OPEN_STATES)
        self.assertEqual((tree[0]["parents"], tree[0]["prompt"]), ([], None))
        self.assertEqual(sum(campaign["nodes"].values()), len(tree) - 1)
        self.assert_acks_kept(run.acks())

        best = self.json("best")
        self.assertEqual(len(best), 1)
        self.assertEqual(set(best[0]), {"campaign", "problem", "node", "source_path", "verdict", "claim"})
        self.assertEqual((best[0]["campaign"], best[0]["problem"], best[0]["claim"]), ("tiny", "scale", True))
        verdict = best[0]["verdict"]
        for field in ("state", "decision", "reason", "score", "backend", "device", "problem", "candidate", "correctness", "integrity", "timing",
                      "diagnosis", "cost", "provenance", "log"):
            self.assertIn(field, verdict)
        # An untimed run gives `correct` with decision, score and timing null.
        self.assertEqual((verdict["state"], verdict["decision"], verdict["score"], verdict["timing"]), ("correct", None, None, None))
        self.assertEqual(tree[best[0]["node"]]["state"], "correct")
        self.assertRegex(self.call("status", "--config", "campaign.toml").stdout, r"best +right on every call, not timed, node \d+")
        listed = self.call("show", best[0]["node"], "--artifact", "--config", "campaign.toml").stdout
        self.assertRegex(listed, r"^claim/kernel\.asm +[\d,]+ bytes$")
        self.assertIn("<kernel>:", self.call("show", best[0]["node"], "--artifact", "kernel.asm", "--config", "campaign.toml").stdout)
        # Nothing that was not timed is exported with a speedup.
        self.assertEqual(self.call("export", "best", "--config", "campaign.toml", "-o", "winner").returncode, 0)
        readme = (self.folder / "winner" / "README.md").read_text()
        self.assertIn("| speed | not timed |", readme)
        self.assertNotIn("speedup", readme)
        events = json.loads((self.folder / "trace.json").read_text())
        lanes = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        jobs = {e["name"] for e in events if e["ph"] == "X" and lanes[e["tid"]].startswith("job of node ")}
        self.assertLessEqual({"build candidate", "build reference", "measure measure"}, jobs)
        with open(best[0]["source_path"]) as source:
            self.assertIn("kernel", source.read())
        self.assert_sound()
        self.assert_nothing_left()

    def test_finished_stays_finished(self):
        """Starting a finished campaign again does nothing and ends with the same code; --fresh begins a new one beside it."""
        self.config(playbook(), candidates=4)
        self.assertEqual(self.start().end(), 0)
        before = self.tree()
        again = self.start()
        self.assertEqual(again.end(), 0, again.told())
        self.assertEqual(self.tree(), before)
        fresh = self.start("--fresh")
        self.assertEqual(fresh.end(), 0, fresh.told())
        self.assertTrue(fresh.acks(), "--fresh did no work")
        self.assert_nothing_left()

    def test_nothing_proven(self):
        """A campaign whose candidates are all wrong ends with 1 and says that its candidates are used up."""
        server = self.fake([{"answer": fenced(wrong(n))} for n in range(3)])
        self.config(server.model(), candidates=3)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        _, campaign = self.status()
        self.assertEqual((campaign["state"], campaign["stop_reason"]), ("finished", "budget.candidates"))
        self.assertEqual(campaign["nodes"], {"incorrect": 3})
        self.assertIsNone(campaign["best"])
        self.assertEqual(self.call("best", "--config", "campaign.toml", "--json", code=1).stdout.strip(), "[]")

    def test_a_machine_that_others_use(self):
        """Measurements wait for others' work, or have it: the campaign's status says how long and how many."""
        for _ in range(os.cpu_count()):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)
        self.config(playbook(), candidates=400, parallel=1, timed=True)
        run = self.start("--set", "goal.target_speedup=1000")
        told = run.wait("progress", where=lambda e: e["machine"]["beside_others"] > 0)["machine"]
        self.assertGreater(told["held_s"], 0)
        self.assertEqual(set(told), {"measured_again", "measured_again_now", "why", "held_s", "beside_others"})
        self.call("stop", "--config", "campaign.toml")
        self.assertIn(run.end(), (0, 1), run.told())

    def test_quiet_displays(self):
        """--ui none prints nothing on stdout, --ui plain prints lines for a person."""
        self.config(playbook(), candidates=4)
        done = self.call("--config", "campaign.toml", "--ui", "none")
        self.assertEqual(done.stdout, "")
        done = self.call("run", "--config", "campaign.toml", "--ui", "plain", "--fresh")
        self.assertRegex(done.stdout, r"node \d+ +correct")
        self.assertIsNone(re.search(r"\033", done.stdout), "a pipe gets no escape sequences")

    def test_readers_of_a_store(self):
        """show, diff, export and report answer for a finished campaign."""
        server = self.fake([{"answer": fenced(wrong(1))}, {"answer": fenced(wrong(2))}])
        self.config(server.model(), candidates=2)
        self.assertEqual(self.start().end(), 1)
        shown = self.json("show", "1")
        self.assertEqual(shown["state"], "incorrect")
        self.assertIn("0.5", self.call("diff", "1", "2", "--config", "campaign.toml").stdout.replace("1.5", "0.5"))
        self.call("report", "--config", "campaign.toml", "-o", "report.html")
        page = (self.folder / "report.html").read_text()
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html"))
        tree = json.loads(self.call("export", "tree", "--config", "campaign.toml").stdout)
        self.assertEqual(len(tree["nodes"]), 3)


if __name__ == "__main__":
    unittest.main()
