"""A full disk: the campaign waits and says so, goes on when there is space again, and is resumable if it is stopped meanwhile."""

import os
import signal
import subprocess
import unittest

from program import Scenario, fenced, wrong


class FullDisk(Scenario):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "store"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(self.disk)], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"no small file system can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.disk)], capture_output=True)
        server = self.fake([{"answer": fenced(wrong(n)), "latency_ms": 50} for n in range(400)])
        self.config(server.model(), candidates=12, parallel=2)

    def fill(self):
        with open(self.disk / "filler", "wb", buffering=0) as filler:  # a buffer would be written once more, and fail, at the end
            try:
                while True:
                    filler.write(b"x" * 65536)
            except OSError:
                pass
        self.assertEqual(os.statvfs(self.disk).f_bavail, 0)

    def full(self):
        run = self.start()
        run.wait("node")
        self.fill()
        trouble = run.wait("trouble")
        self.assertEqual(trouble["kind"], "disk_full", trouble)
        return run

    def test_waits_and_goes_on(self):
        """With the disk full nothing is acknowledged; with space again the campaign ends as it should."""
        run = self.full()
        before = run.acks()
        for _ in range(2):
            run.wait("progress")
        self.assertEqual(run.acks(), before, "acknowledged without a commit")
        (self.disk / "filler").unlink()
        run.wait("node", timeout=30)
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual(len(run.acks()), 12)
        self.assert_acks_kept(run.acks())
        self.assert_sound()
        self.assert_nothing_left()

    def test_stopped_meanwhile(self):
        """Interrupted while the disk is full: 5, nothing acknowledged is lost, and with space again it resumes."""
        run = self.full()
        run.signal(signal.SIGINT)
        run.signal(signal.SIGTERM)
        self.assertEqual(run.end(), 5, run.told())
        self.assert_nothing_left()
        (self.disk / "filler").unlink()
        self.assert_acks_kept(run.acks())
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        self.assert_acks_kept(run.acks(), again.acks())
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
