"""What candidates are compared with: `[goal] baseline`."""

import json
import unittest

from program import HEAD, RIGHT, Scenario, fenced, wrong

SLOW = HEAD + (
    "  for (int again = 0; again < 40; ++again) {\n    for (int64_t i = 0; i < n; ++i)\n      y[i] = std::sin(x[i]) * 1.5f + 1.0f;\n"
    '    asm volatile("" ::: "memory");\n  }\n}\n')
SLOWER = SLOW.replace("again < 40", "again < 1600")


class Baseline(Scenario):
    def setUp(self):
        super().setUp()
        (self.folder / "problem/reference.cpp").write_text(SLOW)

    def refused(self, *words, baseline):
        server = self.fake(answer=fenced(wrong(1)))
        self.config(server.model(), name="refused", timed=True)
        file = self.folder / "campaign.toml"
        file.write_text(file.read_text().replace("[goal]\n", f'[goal]\nbaseline = "{baseline}"\n'))
        run = self.start()
        self.assertEqual(run.end(), 2, run.told())
        self.assertEqual(server.requests(), 0)
        for word in words:
            self.assertIn(word, run.errors())

    def test_baseline_that_is_not_there(self):
        """Whatever this backend or this store lacks is refused at the start, with the place in the file and what to do."""
        self.refused("campaign.toml:8:12: goal.baseline", "as PyTorch runs it", 'use "reference"', baseline="eager")
        self.refused("goal.baseline", "torch.compile", "has one in C++", 'use "reference"', baseline="compile")
        self.refused("goal.baseline", "nowhere.cpp", baseline="file:nowhere.cpp")
        self.refused("the store holds no proven solution", 'baseline = "reference"', baseline="best-known")
        self.assert_nothing_left()

    def test_file(self):
        """A file that is slower than the reference makes every candidate look the better for it, and every verdict names the file; a file
        that is wrong is refused before any request."""
        (self.folder / "production.cpp").write_text(SLOWER)
        server = self.fake([{"answer": fenced(SLOW)}])
        self.config(server.model(), candidates=1, parallel=1, drafts=1, timed=True)
        run = self.start("--set", "goal.baseline=file:production.cpp")
        self.assertEqual(run.end(), 0, run.told())
        (best,) = self.json("best")
        self.assertEqual(best["verdict"]["timing"]["baseline"], "file:production.cpp")
        self.assertGreater(best["verdict"]["timing"]["speedup"], 4)
        self.assertIn("over file:production.cpp", self.call("best", "--config", "campaign.toml").stdout)
        self.call("export", "best", "--config", "campaign.toml", "-o", "kernel")
        self.assertEqual((self.folder / "kernel/baseline.cpp").read_text(), SLOWER)
        again = json.loads(self.call("eval", "kernel", "--json", "--plan", "rank").stdout)
        self.assertEqual(again["timing"]["baseline"], "file:production.cpp")
        self.assertGreater(again["timing"]["speedup"], 4)
        self.assert_sound()

        (self.folder / "production.cpp").write_text(wrong(7))
        self.refused("its baseline (file:production.cpp), measured as a candidate, is incorrect", baseline="file:production.cpp")

    def test_best_known(self):
        """What an earlier campaign has proven is what the next one is compared with; going on, it keeps that."""
        server = self.fake([{"answer": fenced(RIGHT)}])
        self.config(server.model(), name="first", candidates=1, parallel=1, drafts=1, timed=True, more="warm_start = 0")
        first = self.start()
        self.assertEqual(first.end(), 0, first.told())

        server = self.fake([{"answer": fenced(SLOW)}, {"answer": fenced(wrong(1))}])
        self.config(server.model(), name="second", candidates=1, parallel=1, drafts=1, timed=True, more="warm_start = 0")
        second = self.start("--set", "goal.baseline=best-known")
        self.assertEqual(second.end(), 1, second.told())  # what was the reference once is slower than the best
        node = self.json("show", "1", "--campaign", "second")
        self.assertEqual((node["state"], node["decision"]), ("correct", "slower"))
        self.config(server.model(), name="second", candidates=2, parallel=1, drafts=1, timed=True, more="warm_start = 0")
        resumed = self.start("--set", "goal.baseline=best-known")
        self.assertEqual(resumed.end(), 1, resumed.told())
        self.assertEqual(server.requests(), 2)
        other = self.start()  # the reference again
        self.assertEqual(other.end(), 2, other.told())
        self.assertIn("--fresh", other.errors())
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
