"""Several shapes in Python: where one function is fast on one and another one on another, a dispatcher of both is made and judged."""

import os
import sys
import unittest

from program import SLACK, Scenario

PATIENCE = 500 * SLACK  # admission, two candidates, their dispatcher and claims
PROBLEM = """\
[problem]
name = "rows"
family = "elementwise"
dims = ["N"]
reference = "reference.py"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N", "64"]
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N", "64"]
[[workload]]
name = "small"
dims = { N = 128 }
[[workload]]
name = "big"
dims = { N = 2048 }
[cost]
flops = "20*N*64"
bytes = "8*N*64"
"""
FUNCTION = """\
import torch


def times(x):
    return {times}


def {name}(x):
    for _ in range(times(x)):
        y = torch.sin(x) * 1.5 + 1
    return y
"""


def fast_where(condition):
    """Much faster than the reference where the condition holds, slower elsewhere."""
    return FUNCTION.format(name="kernel", times=f"1 if {condition} else 90")


class PythonDispatcher(Scenario):
    def test_two_functions(self):
        """Neither keeps the floor on both workloads; what is put together from both is right, and says who computes what."""
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]
        (self.folder / "problem/reference.cpp").unlink()
        (self.folder / "problem/problem.toml").write_text(PROBLEM)
        (self.folder / "problem/reference.py").write_text(FUNCTION.format(name="reference", times="30"))
        answers = [fast_where("x.shape[0] >= 512"), fast_where("x.shape[0] < 512")]
        script = self.write("model.py", "import pathlib, sys\nsys.stdin.read()\n"
                            "n = pathlib.Path('asked')\ncount = int(n.read_text()) if n.exists() else 0\nn.write_text(str(count + 1))\n"
                            f"print('One call.\\n\\n```python\\n' + {answers!r}[count % 2] + '```\\n')\n")
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', candidates=2, parallel=1,
                    drafts=2, timed=True, more="warm_start = 0")
        self.write("campaign.toml", (self.folder / "campaign.toml").read_text().replace("cpu-cpp", "torch-cpu"))
        run = self.start()
        self.assertIn(run.end(timeout=PATIENCE), (0, 1), run.told())
        nodes = self.tree()
        if any(nodes[n]["state"] == "noisy" for n in (1, 2)):
            self.skipTest("others keep this machine too busy to time anything")
        self.assertEqual(sorted(nodes), [0, 1, 2, 3], run.told())  # 0: the reference, which all begins with
        self.assertEqual(nodes[3]["parents"], [2, 1])  # in the order of the workloads: small, big
        self.assertIn(nodes[3]["state"], ("correct", "noisy"), run.told())
        self.assertIn("node 1 for big", self.call("show", "3", "--config", "campaign.toml").stdout)
        self.assertIn("def _part(", self.json("show", "3")["source_text"])
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
