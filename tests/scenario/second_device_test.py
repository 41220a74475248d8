"""A claim is looked at once more on a second device of its class, where one is attached, and `best` says what that one found."""

import unittest

from crash_loop import SLOW, quick
from fleet_peers import Fleet
from program import fenced


class SecondDevice(Fleet):
    def claimed(self, *workers):
        """The `best` of a timed campaign that these workers judge, and its events of claims."""
        server = self.fake([{"answer": fenced(quick(1))}, {"answer": fenced(quick(2))}])
        self.campaign(server.model(), candidates=2, parallel=1, drafts=2, timed=True)
        (self.folder / "problem/reference.cpp").write_text(SLOW)
        run = self.start()
        there = [self.worker(name, "--slots", "1") for name in workers]
        claims = [run.wait("claim")]
        while claims[-1]["state"] in ("measuring", "not confirmed"):
            claims.append(run.wait("claim"))
        first = self.json("best")[0]
        self.assertEqual(run.end(), 0, run.told())
        best = self.json("best")[0]
        for worker in there:
            self.assert_leaves(worker)
        self.assertTrue(best["claim"], run.told())
        self.assertEqual(best["node"], first["node"])
        self.assert_sound_store()
        return best, run

    def test_two_workers(self):
        """Two workers with the same processor: one measures the claim, the other one confirms it, and both are named."""
        best, run = self.claimed("near", "far")
        claim, second = best["devices"]
        self.assertEqual((claim["claim"], second["claim"]), (True, False))
        self.assertEqual({claim["worker"], second["worker"]}, {"near", "far"})
        self.assertEqual((second["state"], second["decision"], second["device"]), ("correct", "faster", claim["device"]))
        self.assertGreater(second["score"], 1.5)
        text = self.call("best", "--config", "campaign.toml").stdout
        self.assertIn("the claim holds on a second device, too", text)
        self.assertIn(f"of worker {second['worker']}", text)
        looked = [e for e in self.json("show", str(best["node"]))["evidence"] if e.get("second_device")]
        self.assertEqual(len(looked), 1)
        self.assertIn("holds on a second device", self.report())
        self.assertIn("Second device", self.exported())

    def test_one_worker(self):
        """With a single device nobody waits for a second one, and nothing is said of it."""
        best, run = self.claimed("only")
        self.assertNotIn("devices", best)
        self.assertNotIn("second device", self.call("best", "--config", "campaign.toml").stdout)

    def report(self):
        self.call("report", "--config", "campaign.toml", "-o", "report.html")
        return (self.folder / "report.html").read_text()

    def exported(self):
        self.call("export", "best", "--config", "campaign.toml", "-o", "winner")
        return (self.folder / "winner/README.md").read_text()


if __name__ == "__main__":
    unittest.main()
