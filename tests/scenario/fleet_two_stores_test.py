"""A worker that outlives a store: what it did for one is never taken for another's, whatever the numbers say."""

import shutil
import unittest

from fleet_peers import Fleet, slow_right, slow_wrong
from program import wrong


class TwoStores(Fleet):
    def finish_unheard(self, owner, worker):
        """The worker finishes while its owner is frozen, and the owner never wakes up: a result that nobody has acknowledged."""
        self.until_judging(worker)
        owner.signal(19)
        self.until(self.held, "the finished result on the worker's disk")
        owner.kill()
        worker.freeze()

    def test_result_of_another_store(self):
        """A worker's unacknowledged result of one store does not make another store's wrong candidate correct; its own store gets it."""
        self.campaign(self.answers(slow_right(5)).model(), "a.toml", store="a", candidates=1, parallel=1, drafts=1)
        a = self.start(config="a.toml")
        far = self.worker()
        self.finish_unheard(a, far)

        self.problem("problem-b")
        answers = self.answers(slow_wrong(1, 9))
        self.campaign(answers.model(), "b.toml", store="b", problem="problem-b", local=True, candidates=1, parallel=1, drafts=1)
        b = self.start(config="b.toml")
        self.until_nodes(b, "measuring")
        far.thaw()
        self.assertEqual(b.end(), 1, b.told())
        self.assertEqual(self.states("b.toml"), ["incorrect"], "a result of store A was taken for the candidate of store B")
        self.assert_sound_store("b.toml")

        self.assertEqual(len(self.held()), 1, "B's owner had A's result thrown away")
        again = self.start(config="a.toml")
        self.assertIn(again.end(), (0, 1), again.told())
        self.assertEqual(self.states("a.toml"), ["correct"])
        self.assert_sound_store("a.toml")
        self.assertEqual(self.held(), [])
        self.assert_leaves(far)
        self.assert_nothing_left()

    def test_same_candidates_again(self):
        """A standing worker measures the next store's candidates, though it knows their objects from the last one: none is a foreign node's duplicate."""
        far = self.worker()
        sources = [slow_wrong(n, 2) for n in range(3)]
        for store, order in (("a", [0, 1, 2]), ("b", [2, 0, 1])):
            config = f"{store}.toml"
            answers = self.answers(*(sources[n] for n in order))
            self.campaign(answers.model(), config, store=store, candidates=3, parallel=1, drafts=3)
            run = self.start(config=config)
            self.assertEqual(run.end(), 1, run.told())
            self.assertEqual(self.states(config), ["incorrect"] * 3)
            self.assertEqual([n["duplicate_of"] for n in self.tree(config).values() if n.get("duplicate_of") is not None], [], store)
            self.assertGreater(self.status(config)[1]["spend"]["device_s"], 0, f"nothing was measured for store {store}")
            self.assert_sound_store(config)
        self.assertEqual(len(far.ran), 6, "each candidate of each store is measured once")
        self.assert_leaves(far)
        self.assert_nothing_left()

    def test_restored_store(self):
        """A store that is restored from a copy takes no result of the sessions that it has lost."""
        self.campaign(self.answers(wrong(1)).model(), candidates=1, parallel=1, drafts=3)
        far = self.worker()
        first = self.start()
        self.assertEqual(first.end(), 1, first.told())
        shutil.copytree(self.folder / "store", self.folder / "copy")

        self.campaign(self.answers(slow_right(5)).model(), candidates=2, parallel=1, drafts=3)
        lost = self.start()
        self.finish_unheard(lost, far)

        shutil.rmtree(self.folder / "store")
        (self.folder / "copy").rename(self.folder / "store")
        self.campaign(self.answers(slow_wrong(2, 9)).model(), local=True, candidates=2, parallel=1, drafts=3)
        run = self.start()
        self.until_nodes(run, "measuring")
        far.thaw()
        self.assertEqual(run.end(), 1, run.told())
        self.assertEqual(self.states(), ["incorrect", "incorrect"], "a result of the lost session was taken")
        self.assert_sound_store()
        self.assert_leaves(far)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
