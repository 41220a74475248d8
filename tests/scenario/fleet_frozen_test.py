"""A process is suspended for longer than a lease lasts (Ctrl-Z, a paused virtual machine): the one who slept is not to blame others."""

import unittest

from fleet_peers import Fleet, slow_wrong

ASLEEP = 14.0  # seconds: a lease without a beat lasts 10


class Frozen(Fleet):
    def test_owner(self):
        """An owner that is suspended three times poisons no candidate and takes no work away: every lease survives, every result counts."""
        self.campaign(self.answers(*(slow_wrong(n, 9) for n in range(5))).model(), candidates=5, parallel=5, drafts=5)
        run = self.start()
        far = self.worker("far", "--slots", "4")
        for _ in range(3):
            self.until_nodes(run, "measuring")
            self.until_judging(far)
            self.frozen(run, ASLEEP)
        self.assertEqual(run.end(timeout=150), 1, run.told())
        self.assert_told(run, ["incorrect"] * 5)
        self.assertEqual(len(far.ran), 5, f"work was begun again\n{run.told()}\n{far.errors()[-4000:]}")
        self.assert_sound_store()
        self.assert_leaves(far)
        self.assert_nothing_left()

    def test_worker(self):
        """A suspended worker is lost after its lease; another one does its work, and what it says when it wakes up changes nothing."""
        self.campaign(self.answers(*(slow_wrong(n, 6) for n in range(3))).model(), candidates=3, parallel=3, drafts=3)
        run = self.start()
        far = self.worker()
        self.until_judging(far)
        other = self.worker("other")
        self.until_attached(run, "other")
        self.frozen(far, ASLEEP)
        self.assertEqual(run.end(timeout=150), 1, run.told())
        self.assert_told(run, ["incorrect"] * 3)
        self.assertEqual(self.status()[1]["spend"]["requests"], 3)
        self.assert_sound_store()
        for worker in (far, other):
            self.assert_leaves(worker)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
