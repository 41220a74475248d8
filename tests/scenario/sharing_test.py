"""Stores that are united, by commands that meet each other."""

import fcntl
import os
import struct
import subprocess
import unittest

from program import PATIENCE, RUNTIME, Scenario, _started, playbook


def set_lock(fd, kind):
    """The ownership of a store: an open file description lock on the first byte of owner.lock (struct flock)."""
    fcntl.fcntl(fd, fcntl.F_OFD_SETLKW, struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0))


class Sharing(Scenario):
    def test_two_merges_at_once(self):
        """Bug: of two merges into a store the second one gave up at once; it waits until the first one has ended."""
        self.config(playbook(), candidates=1)
        self.call("--config", "campaign.toml", "--ui", "none", code=None)
        self.call("store", "export", "--store", "store", "-o", "a.kex")
        self.call("store", "merge", "a.kex", "--store", "other")
        lock = os.open(self.folder / "other/owner.lock", os.O_RDWR | os.O_CLOEXEC)
        merge = None
        try:
            set_lock(lock, fcntl.F_WRLCK)
            merge = subprocess.Popen([RUNTIME, "store", "merge", "a.kex", "--store", "other"], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            _started.add(merge.pid)
            self.assertIn("waiting for it", merge.stderr.readline())
            set_lock(lock, fcntl.F_UNLCK)
            out, err = merge.communicate(timeout=PATIENCE)
        finally:
            os.close(lock)
            if merge:
                merge.kill()
                merge.wait()
                _started.discard(merge.pid)
        self.assertEqual(merge.returncode, 0, err)
        self.assertIn("merged a.kex", out)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
