"""A full disk: the campaign waits and says so, goes on when there is space again, and is resumable if it is stopped meanwhile."""

import json
import os
import signal
import subprocess
import time
import unittest

from program import PATIENCE, RUNTIME, SLACK, Scenario, _started, campaign_text, fenced, playbook, wrong


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

    def fill(self, mode="wb"):
        with open(self.disk / "filler", mode, buffering=0) as filler:  # a buffer would be written once more, and fail, at the end
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


    def test_a_submission_waits_alone(self):
        """Bug: with the disk full, one submit held up every other command and the end itself. Now only who submits waits."""
        run = self.full()
        for _ in range(4):  # what was at work has ended, and what its end let go is filled, too
            run.wait("progress")
            self.fill("ab")
        self.write("other.toml", campaign_text(playbook(), name="other", candidates=2))
        waiting = self.submit("other.toml")
        for _ in range(2):
            begun = time.monotonic()
            live, campaign = self.status()
            self.assertLess(time.monotonic() - begun, 2 * SLACK, "status waited, too")
            self.assertTrue(live)
            self.assertEqual(campaign["state"], "paused")
            self.assertIn("full", campaign["trouble"])
        begun = time.monotonic()
        stopped = self.call("stop", "--config", "campaign.toml", code=5)
        self.assertLess(time.monotonic() - begun, 5 * SLACK)
        self.assertIn("recorded as soon as", stopped.stderr)
        self.assertIsNone(waiting.poll(), "it was told something before it was stored")
        run.signal(signal.SIGINT)
        run.signal(signal.SIGTERM)
        begun = time.monotonic()
        self.assertEqual(run.end(), 5, run.told())
        self.assertLess(time.monotonic() - begun, 15 * SLACK)
        self.assertNotEqual(waiting.wait(PATIENCE), 0)
        self.assert_nothing_left()
        (self.disk / "filler").unlink()
        self.assert_acks_kept(run.acks())
        self.assert_sound()

    def test_a_submission_goes_on(self):
        """A submit that waited for space is stored and answered once there is some."""
        run = self.full()
        self.write("other.toml", campaign_text(playbook(), name="other", candidates=2))
        waiting = self.submit("other.toml")
        self.assertTrue(self.status()[0])
        self.assertIsNone(waiting.poll())
        (self.disk / "filler").unlink()
        out, err = waiting.communicate(timeout=PATIENCE)
        self.assertEqual(waiting.returncode, 0, err)
        self.assertEqual(json.loads(out)["campaign"], "other")
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual(len(run.acks()), 12)
        self.assert_sound()
        self.assert_nothing_left()

    def submit(self, config):
        """A submit that is under way: the owner has its command."""
        process = subprocess.Popen([RUNTIME, "submit", "--config", config], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _started.add(process.pid)

        def end():
            process.kill()
            process.communicate()
            _started.discard(process.pid)

        self.addCleanup(end)
        return process


if __name__ == "__main__":
    unittest.main()
