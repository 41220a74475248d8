"""A second campaign begins where the first one ended."""

import unittest

from program import PROBLEM, RIGHT, Scenario, fenced, wrong


class WarmStart(Scenario):
    def test_second_campaign_begins_with_the_first_ones_best(self):
        """Another shape of the same operator in the same store: its first candidate is what the first campaign found, nobody is asked for it,
        and `show` says where it comes from. With warm_start = 0 the models are asked."""
        found = self.fake([{"answer": fenced(wrong(1))}, {"answer": fenced(wrong(2))}, {"answer": fenced(RIGHT)}])
        self.config(found.model(), name="first", candidates=6, parallel=1)
        first = self.start()
        self.assertEqual(first.end(), 0, first.told())
        best = [n for n in self.tree().values() if n["state"] == "correct" and n["id"] > 0][0]

        (self.folder / "problem/problem.toml").write_text(PROBLEM.replace("N = 4096", "N = 10000"))
        lost = self.fake([{"answer": fenced(wrong(n))} for n in range(10, 20)])
        self.config(lost.model(), name="second", candidates=6, parallel=1)
        second = self.start()
        self.assertEqual(second.end(), 0, second.told())
        self.assertEqual(lost.requests(), 0, "it asked before it tried what is known")
        seed = self.json("show", "1", "--campaign", "second")
        self.assertEqual((seed["state"], seed["operation"]), ("correct", "seed"))
        self.assertEqual(seed["source"], self.json("show", str(best["id"]), "--campaign", "first")["source"])
        self.assertIn(f"campaign first, node {best['id']}", seed["note"])

        self.config(lost.model(), name="third", candidates=2, parallel=1, more="warm_start = 0")
        self.assertEqual(self.start().end(), 1)
        self.assertEqual(lost.requests(), 2)
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
