"""A store that can only be read: everything that only reads works, what writes refuses with one sentence."""

import subprocess
import unittest

from program import Scenario, fenced, wrong


class ReadOnly(Scenario):
    def test_read_only_store(self):
        """On a read-only file system a finished campaign can be looked at from every side, and neither resumed nor compacted."""
        disk = self.folder / "store"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(disk)], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no file system can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], capture_output=True)
        server = self.fake([{"answer": fenced(wrong(n))} for n in range(4)])
        self.config(server.model(), candidates=3, parallel=1)
        run = self.start()
        self.assertEqual(run.end(), 1, run.told())
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        live, campaign = self.status()
        self.assertFalse(live)
        self.assertEqual(campaign["state"], "finished")
        self.assert_acks_kept(run.acks())
        self.assertTrue(self.json("replay")["matches"])
        self.call("show", "1", "--config", "campaign.toml")
        self.call("report", "--config", "campaign.toml", "-o", self.folder / "report.html")
        self.call("store", "check", "--config", "campaign.toml")
        for refused in (["--config", "campaign.toml", "--set", "budget.candidates=5"], ["store", "compact", "--config", "campaign.toml"]):
            done = self.call(*refused, code=2)
            self.assertIn(str(disk), done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(server.requests(), 3)


if __name__ == "__main__":
    unittest.main()
