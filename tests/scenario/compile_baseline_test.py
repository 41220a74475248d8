"""`[goal] baseline = "compile"`: the reference through torch.compile is compiled before anything is measured, and named wherever a number is."""

import json
import os
import sys
import unittest

from program import SLACK, Scenario

PATIENCE = 400 * SLACK  # one compilation, and two plans of evaluation
MODEL = """\
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, times):
        super().__init__()
        self.times = times

    def forward(self, x):
        for _ in range(self.times):
            x = torch.sort(x, dim=1).values
        return torch.tanh(x) * 2 + 1

def get_inputs():
    return [torch.randn(64, 256)]

def get_init_inputs():
    return [20]
"""
RIGHT = MODEL.partition("def get_inputs")[0].replace("class Model(", "class ModelNew(").replace("range(self.times)", "range(1)")


class CompileBaseline(Scenario):
    def setUp(self):
        super().setUp()
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]

    def campaign(self, model=MODEL):
        """The campaign's file, and a model that writes down each question."""
        self.write("block.py", model)
        script = self.write("model.py", "import pathlib, sys\nsys.stdin.read()\npathlib.Path('asked').touch()\n"
                            f"print('One call.\\n\\n```python\\n' + {RIGHT!r} + '```\\n')\n")
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', candidates=1, parallel=1,
                    drafts=1, timed=True)
        text = (self.folder / "campaign.toml").read_text()
        self.write("campaign.toml", text.replace("problem/problem.toml", "block.py").replace("cpu-cpp", "torch-cpu").replace(
            "[goal]\n", '[goal]\nbaseline = "compile"\n'))

    def test_campaign(self):
        """The reference is admitted as torch.compile makes it, and a candidate is compared with that, not with eager PyTorch."""
        self.campaign()
        run = self.start()
        self.assertIn(run.end(timeout=PATIENCE), (0, 1), run.told())
        node = self.json("show", "1")
        self.assertNotIn(node["state"], ("harness_error", "timeout", "unfit_problem", "incorrect"), node)
        self.assertEqual(node["verdict"]["timing"]["baseline"], "torch.compile")
        if run.process.returncode:
            self.skipTest("others keep this machine too busy to time anything")
        self.assertIn("over torch.compile", self.call("best", "--config", "campaign.toml").stdout)
        self.call("export", "best", "--config", "campaign.toml", "-o", "kernel")
        self.assertIn("torch.compile(Model(*arguments)", (self.folder / "kernel/baseline.py").read_text())
        again = json.loads(self.call("eval", "kernel", "--json", "--plan", "rank", code=None, timeout=PATIENCE).stdout)
        self.assertEqual(again["timing"]["baseline"], "torch.compile")
        self.assert_nothing_left()

    def test_no_compiler(self):
        """Without a C++ compiler the campaign ends before anybody is asked, with one sentence that says what to do."""
        self.campaign('import os\n\nos.environ["CXX"] = "/nowhere/g++"\n' + MODEL)
        run = self.start()
        self.assertEqual(run.end(timeout=PATIENCE), 2, run.told())
        self.assertFalse((self.folder / "asked").exists())
        for word in ("torch.compile can't compile the reference here", "No working C++ compiler", "it needs g++", 'baseline = "eager"'):
            self.assertIn(word, run.errors())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
