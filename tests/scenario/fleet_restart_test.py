"""An owner is killed and started again while its worker lives on: what the worker does and has done is kept."""

import signal
import unittest
from pathlib import Path

from fleet_peers import NIGHTLY, Fleet, slow_wrong


def blocks(pid, number):
    """Whether the process holds this signal back, to take it when it is ready."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigBlk:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


class Restart(Fleet):
    def test_worker_is_told_to_leave_while_it_starts(self):
        """SIGTERM as soon as a worker can take it, long before it attaches to anybody: it goes, and does not wait for a second one."""
        for _ in range(3):
            far = self.worker()
            self.until(lambda: blocks(far.pid, signal.SIGTERM), "the worker holds back its signals")
            self.assert_leaves(far)
        self.assert_nothing_left()

    def test_measured_on(self):
        """kill -9 of the owner while a worker measures: the next owner adopts the work, which is not begun again."""
        self.campaign(self.answers(slow_wrong(1, 15)).model(), candidates=1, parallel=1, drafts=1)
        owner = self.start()
        far = self.worker()
        judge = self.until_judging(far)
        owner.kill()
        again = self.start()
        self.assertEqual(again.end(), 1, again.told())
        self.assert_told(again, ["incorrect"])
        self.assertEqual(far.ran, judge, "the measurement was begun again")
        self.assertEqual(self.held(), [])
        self.assert_sound_store()
        self.assert_leaves(far)
        self.assert_nothing_left()

    def unheard(self):
        """The first of two candidates is done and nobody has heard of it, the other one is still at work; the owner is dead."""
        answers = self.answers(slow_wrong(1, 4), slow_wrong(2, 12))
        self.campaign(answers.model(), candidates=2, parallel=2, drafts=2)
        owner = self.start()
        far = self.worker()
        self.until_judging(far)
        owner.signal(signal.SIGSTOP)
        self.until(self.held, "the finished result on the worker's disk")
        owner.kill()
        return far, self.held()[0]

    def committed_first(self, again, held):
        """The worker's file goes away only when the verdict is in the store."""
        self.until(lambda: not held.exists(), "the result is acknowledged")
        self.assertIn("incorrect", self.states(), "acknowledged, and nothing of it is in the store")
        self.assertEqual(again.end(), 1, again.told())
        self.assertEqual(self.states(), ["incorrect", "incorrect"])
        self.assertEqual(self.status()[1]["spend"]["requests"], 2)
        self.assert_sound_store()

    def test_result_kept(self):
        """A finished result that nobody has acknowledged is committed by the next owner before the worker forgets it, and nothing is done twice."""
        far, held = self.unheard()
        again = self.start()
        self.committed_first(again, held)
        self.assertEqual(len(far.ran), 2, "each candidate is measured once")
        self.assert_leaves(far)
        self.assert_nothing_left()

    @unittest.skipUnless(NIGHTLY, "takes longer: KE_NIGHTLY=1")
    def test_result_kept_on_disk(self):
        """The same when the worker was killed, too: its results are in its cache."""
        far, held = self.unheard()
        far.kill()
        begun = len(far.ran)
        again = self.start()
        new = self.worker()
        self.committed_first(again, held)
        # The other one may have been begun when its worker was killed, and is begun anew then.
        self.assertIn(begun, (1, 2))
        self.assertEqual(len(new.ran), 1, "what was finished is not measured again")
        self.assert_leaves(new)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
