"""Python candidates through the real program: nothing is left behind, and a campaign of a KernelBench file runs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from program import RUNTIME, SLACK, Scenario, command_of, descendants_of, wait_for_end

MODEL = """\
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)

def get_inputs():
    return [torch.randn(8, 100)]

def get_init_inputs():
    return []
"""
RIGHT = "import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x.softmax(1)\n"
ENDLESS = RIGHT.replace("return x.softmax(1)", "\n        while True: pass")
FORKS = RIGHT.replace("return x.softmax(1)", "import os\n        if os.fork() == 0:\n            while True: pass\n        while True: pass")


class Torch(Scenario):
    def setUp(self):
        super().setUp()
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]
        self.write("softmax.py", MODEL)

    def at_work(self, source):
        """An eval whose candidate runs, and all its processes."""
        self.write("candidate.py", source)
        run = subprocess.Popen([RUNTIME, "eval", "softmax.py", "candidate.py", "--backend", "torch-cpu", "--untimed"], cwd=self.folder,
                               env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: run.poll() is None and run.kill())
        # The parent imports torch; each launch is a fork of it, so a server below the server.
        while sum("fork_server.py" in command_of(p) and "bwrap" not in command_of(p) for p in descendants_of(run.pid)) < 2:
            self.assertIsNone(run.poll(), "it ended before a fork was seen")
            os.sched_yield()
        return run, descendants_of(run.pid)

    def test_interrupted(self):
        """Ctrl-C: 130, no process and no folder left, the warm parent included."""
        run, below = self.at_work(ENDLESS)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, said)
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")
        self.assert_nothing_left()

    def test_killed(self):
        """kill -9 of the program takes the warm parent and its forks along."""
        run, below = self.at_work(FORKS)
        run.kill()
        run.communicate()
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")

    def test_judge_killed(self):
        """kill -9 of the judge: the forks end, the warm parent stays until the program ends."""
        run, below = self.at_work(ENDLESS)
        judge = [p for p in descendants_of(run.pid) if "ke-judge" in command_of(p)]
        self.assertEqual(len(judge), 1)
        os.kill(judge[0], signal.SIGKILL)
        out, said = run.communicate(timeout=30)
        self.assertIn("harness_error", out, said)
        self.assertFalse(wait_for_end(below, 3 * SLACK), "processes outlive it")
        self.assert_nothing_left()

    def test_lint(self):
        """`problem lint` of a KernelBench file: 0 and fit, without naming a backend; 1 and the reason where zeros would pass."""
        self.assertRegex(self.call("problem", "lint", "softmax.py", code=0).stdout, r"^softmax: fit\n")
        self.write("zeros.py", MODEL.replace("torch.softmax(x, dim=1)", "torch.relu(x * 0)"))
        said = json.loads(self.call("problem", "lint", "zeros.py", "--json", code=1).stdout)
        self.assertTrue(any("accepts zeros" in why for why in said["reasons"]), said["reasons"])
        self.assert_nothing_left()

    def generated(self):
        """A problem whose inputs a generator makes, in a folder of its own."""
        shutil.copytree(Path(__file__).resolve().parents[1] / "redteam/problems/py_csr", self.folder / "csr")

    def test_generator(self):
        """`problem lint` says that inputs come of a generator, and what is wrong with one; a missing file is an error with its place."""
        self.generated()
        text = self.call("problem", "lint", "csr", code=0).stdout
        self.assertRegex(text, r"^py-csr: fit\n")
        self.assertIn("warning: inputs are what make(key, dims) of the generator returns and nothing else", text)
        make = self.folder / "csr/inputs.py"
        source = make.read_text()
        make.write_text(source.replace("torch.randn(columns, generator=g)", "torch.randn(columns, generator=g).double()"))
        self.assertIn("unfit: make() of the generator inputs.py, on workload small: x has the type torch.float64 instead of torch.float32\n",
                      self.call("problem", "lint", "csr", code=1).stdout)
        make.unlink()
        self.assertRegex(self.call("problem", "lint", "csr", code=2).stderr,
                         r"csr/problem\.toml:7:13: problem\.generator: .*inputs\.py: there is no such file")
        self.assert_nothing_left()

    def test_generator_in_a_campaign(self):
        """The model is shown the generator's source; an answer that holds for the first pattern alone is wrong."""
        self.generated()
        right = "import torch\n\ndef kernel(start, column, value, x):\n    return torch.segment_reduce(value * x[column], 'sum', offsets=start)\n"
        wrong = right.replace("def kernel", "kept = {}\n\ndef kernel").replace("offsets=start", "offsets=kept.setdefault(len(start), start.clone())")
        script = self.write("model.py", "import pathlib, sys\n"
                            "prompt = sys.stdin.read()\n"
                            "assert 'Inputs are what `make(key, dims)` returns' in prompt and 'searchsorted(row' in prompt, prompt\n"
                            "n = pathlib.Path('asked')\ncount = int(n.read_text()) if n.exists() else 0\nn.write_text(str(count + 1))\n"
                            f"print('One call.\\n\\n```python\\n' + [{wrong!r}, {right!r}][count % 2] + '```\\n')\n")
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', candidates=2, parallel=1)
        text = (self.folder / "campaign.toml").read_text()
        self.write("campaign.toml", text.replace("problem/problem.toml", "csr").replace("cpu-cpp", "torch-cpu"))
        run = self.start()
        run.end()
        _, campaign = self.status()
        self.assertEqual(campaign["nodes"].get("correct"), 1, campaign)
        self.assertEqual(campaign["nodes"].get("incorrect"), 1, campaign)
        self.assert_nothing_left()

    def test_campaign(self):
        """Two answers of a model program, one wrong and one right, on a KernelBench file."""
        wrong = RIGHT.replace("softmax(1)", "softmax(0)")
        script = self.write("model.py", "import pathlib, sys\n"
                            "prompt = sys.stdin.read()\nassert 'class ModelNew(nn.Module)' in prompt, prompt\n"
                            "n = pathlib.Path('asked')\ncount = int(n.read_text()) if n.exists() else 0\nn.write_text(str(count + 1))\n"
                            f"print('One call.\\n\\n```python\\n' + [{wrong!r}, {RIGHT!r}][count % 2] + '```\\n')\n")
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', candidates=2, parallel=1)
        text = (self.folder / "campaign.toml").read_text()
        self.write("campaign.toml", text.replace("problem/problem.toml", "softmax.py").replace("cpu-cpp", "torch-cpu"))
        run = self.start()
        run.end()
        _, campaign = self.status()
        self.assertEqual(campaign["nodes"].get("correct"), 1, campaign)
        self.assertEqual(campaign["nodes"].get("incorrect"), 1, campaign)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
