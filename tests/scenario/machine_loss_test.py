"""A machine that refuses half-way: its device is taken out of service and the campaign waits, at nobody's cost, until it is well."""

import os
import signal
import unittest

from program import Scenario, fenced, wrong


class MachineLoss(Scenario):
    def lost(self):
        """A campaign at work whose worker can't use its temporary folder any more."""
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 50} for n in range(40)])
        self.config(server.model(), candidates=8, parallel=2)
        self.tmp = self.folder / "tmp"
        self.mode = self.tmp.stat().st_mode & 0o7777
        self.addCleanup(os.chmod, self.tmp, self.mode)
        run = self.start()
        run.wait("node")
        os.chmod(self.tmp, 0)
        trouble = run.wait("trouble", where=lambda e: e["kind"] == "device")
        self.assertIn("quarantined", trouble["text"])
        return run

    def test_waits_and_goes_on(self):
        """The campaign says why it waits, loses no candidate to the machine, and goes on by itself."""
        run = self.lost()
        run.wait("progress", where=lambda e: e["state"] == "paused" and "quarantined" in e["trouble"])
        live, campaign = self.status()
        self.assertTrue(live)
        self.assertEqual(campaign["state"], "paused")
        self.assertIn("quarantined", campaign["trouble"])
        os.chmod(self.tmp, self.mode)
        run.wait("trouble", where=lambda e: e["kind"] == "none")
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual([state for state, _ in run.acks().values()], ["incorrect"] * 8)
        self.assert_sound()
        self.assert_nothing_left()

    def test_stopped_meanwhile(self):
        """Interrupted while it waits: 5 at once, and with the machine well again it resumes."""
        run = self.lost()
        run.signal(signal.SIGINT)
        self.assertEqual(run.end(), 5, run.told())
        self.assertIn("waited for a device", run.errors())
        os.chmod(self.tmp, self.mode)
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        self.assert_acks_kept(run.acks(), again.acks())
        states = [state for state, _ in {**run.acks(), **again.acks()}.values()]
        self.assertEqual(states, ["incorrect"] * 8)
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
