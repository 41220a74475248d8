"""Several shapes: where one kernel is fast on one and another one on another, the claim is made for a dispatcher of both."""

import json
import unittest

from program import HEAD, PROBLEM, Scenario, fenced

WORK = """  for (int again = 0; again < {times}; ++again) {{
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
    asm volatile("" ::: "memory");
  }}
}}
"""
REFERENCE = HEAD + WORK.format(times=40)


def fast_where(condition):
    """Forty times faster than the reference where the condition holds, three times slower elsewhere."""
    return HEAD + WORK.format(times=f"(({condition}) ? 1 : 120)")


class Dispatcher(Scenario):
    def setUp(self):
        super().setUp()
        (self.folder / "problem/problem.toml").write_text(
            PROBLEM.replace('N = 4096 }', 'N = 512 }\n[[workload]]\nname = "big"\ndims = { N = 8192 }'))
        (self.folder / "problem/reference.cpp").write_text(REFERENCE)

    def claimed(self, *sources):
        """The best of a campaign of these candidates, which must be a dispatcher's claim; others' work on this machine is waited out by
        campaigns more, within limits."""
        for number in range(3):
            server = self.fake([{"answer": fenced(source)} for source in sources])
            name = f"shapes-{number}"
            self.config(server.model(), name=name, candidates=len(sources), parallel=1, drafts=len(sources), timed=True, more="warm_start = 0")
            run = self.start()
            code = run.end()
            nodes = {n["id"]: n for n in self.json("tree")["nodes"]}
            made = nodes.get(len(sources) + 1)
            if all(nodes[n + 1]["decision"] == "slower" for n in range(len(sources))):  # by the floor
                self.assertIsNotNone(made, run.told())
                self.assertIn(made["state"], ("correct", "noisy"), run.told())
            (best,) = self.json("best", code=code) or [None]
            if code == 0 and made and best["node"] == made["id"] and made["parents"] == list(range(1, len(sources) + 1)):
                self.assertTrue(best["claim"], run.told())
                return best
        return self.skipTest("others keep this machine too busy to time anything")

    def workloads(self, verdict):
        return {w["name"]: w for w in verdict["timing"]["workloads"]}

    def test_the_dispatcher_of_two_is_claimed(self):
        """Neither kernel keeps the floor on both workloads: both are refused, what is put together from them is claimed as a whole."""
        best = self.claimed(fast_where("n >= 2048"), fast_where("n < 2048"))
        for w in self.workloads(best["verdict"]).values():
            self.assertGreater(w["speedup"], 2)
        shown = self.call("show", "3", "--config", "campaign.toml").stdout
        self.assertIn("node 1 for big", shown)
        self.call("export", "best", "--config", "campaign.toml", "-o", "kernel")
        again = json.loads(self.call("eval", "kernel", "--json", "--plan", "rank", code=None).stdout)
        self.assertIn(again["state"], ("correct", "noisy"))
        self.assert_sound()

    def test_the_reference_computes_what_no_kernel_is_fast_at(self):
        """One kernel, below the floor on a workload: what is claimed gives that workload's shapes to the reference."""
        best = self.claimed(fast_where("n >= 2048"))
        timed = self.workloads(best["verdict"])
        self.assertGreater(timed["big"]["speedup"], 2)
        self.assertGreater(timed["small"]["speedup"], 0.6)  # the kernel itself is three times slower there
        self.assert_sound()


if __name__ == "__main__":
    unittest.main()
