"""A suite of problems: a campaign for each, states and metrics apart, and a second start goes on where the first one ended."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from program import PATIENCE, ROOT, RUNTIME, Scenario, _started

FIXTURES = ROOT / "tests/fixtures/kernelbench"

# Answers with the reference as a candidate, except for what a file beside it names: that is answered wrongly. Notes what it was asked.
MODEL = """\
import pathlib, re, sys
prompt = sys.stdin.read()
source = next(b for b in re.findall(r"```python\\n(.*?)```", prompt, re.S) if re.search(r"^class Model\\b", b, re.M))
with open("asked", "a") as asked:
    asked.write(re.search(r"return .*", source).group() + "\\n")
pathlib.Path("sizes").open("a").write(" ".join(re.findall(r"^dim = \\d+", source, re.M)) + "\\n")
wrong = pathlib.Path("wrong")
if wrong.exists() and wrong.read_text().strip() in source:
    source = source.replace("return ", "return 2 * ", 1)
print("As it is.\\n\\n```python\\n" + re.sub(r"\\bclass Model\\b", "class ModelNew", source) + "```\\n")
"""


class Suite(Scenario):
    def setUp(self):
        super().setUp()
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]
        script = self.write("model.py", MODEL)
        self.config(f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "{script}"]\n', name="kb", candidates=1,
                    parallel=1, drafts=1)
        text = (self.folder / "campaign.toml").read_text()
        self.write("campaign.toml", text.replace('[problem]\npath = "problem/problem.toml"\n', "").replace("cpu-cpp", "torch-cpu"))

    def files(self, *names, to="bench"):
        """A suite of these fixtures."""
        for name in names:
            level, pattern = name.split("/")
            (self.folder / to / level).mkdir(parents=True, exist_ok=True)
            for path in (FIXTURES / level).glob(pattern):
                shutil.copy(path, self.folder / to / level)
        return f"kernelbench:{to}"

    def asked(self):
        path = self.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []

    def suite(self, name, *args, code=0):
        done = self.call("suite", "run", name, "--config", "campaign.toml", "--json", *args, code=code)
        document = json.loads(done.stdout)
        return document, {c["problem"]: c for c in document["cells"]}, done.stderr

    def test_all_levels(self):
        """Of all four levels a right one, a wrong one, traps and a broken file: each a cell, the broken one names file and fix, and metrics count
        the judged ones alone. A second start asks nobody, and says the same."""
        name = self.files("level1/3_*", "level1/9_*", "level2/1_*", "level2/10_*", "level3/1_*", "level4/10_*")
        self.write("bench/level3/2_broken.py", "import torch\n\nclass Model(torch.nn.Module):\n    pass\n\ndef get_inputs():\n    return []\n")
        self.write("wrong", "torch.relu(self.linear(x))")
        document, cells, said = self.suite(name, "--csv", "cells.csv", "-o", "cells.json")
        self.assertEqual({p: c["standing"] for p, c in cells.items()}, {
            "level1/3_Softmax": "judged", "level1/9_Softmax_of_one_column": "unfit", "level2/1_Gemm_ReLU": "judged",
            "level2/10_Gemm_Min_Clamp": "unfit", "level3/1_MLP": "judged", "level3/2_broken": "broken",
            "level4/10_padding-only_bs4_seq24": "unfit"})
        states = {p: c["state"] for p, c in cells.items()}
        self.assertEqual((states["level1/3_Softmax"], states["level2/1_Gemm_ReLU"], states["level2/10_Gemm_Min_Clamp"]),
                         ("correct", "incorrect", "unfit_problem"))
        self.assertIn("accepts zeros", cells["level2/10_Gemm_Min_Clamp"]["note"])
        self.assertIn("accepts the outputs of another input", cells["level4/10_padding-only_bs4_seq24"]["note"])
        self.assertIn("bench/level3/2_broken.py: the file has no `def get_init_inputs`", cells["level3/2_broken"]["note"])
        self.assertEqual(len(self.asked()), 3)
        metrics, totals = document["metrics"], document["totals"]
        self.assertEqual((metrics["n"], metrics["fast_0"], metrics["fast_1"]), (3, 2 / 3, None))
        self.assertEqual((totals["problems"], totals["unfit"], totals["broken"], totals["pending"]), (7, 3, 1, 0))
        self.assertIn("[7/7] level4/10", said)
        with open(self.folder / "cells.csv", newline="") as table:
            rows = {r["problem"]: r for r in csv.DictReader(table)}
        self.assertEqual({p: r["state"] for p, r in rows.items()}, states)
        self.assertEqual(json.loads((self.folder / "cells.json").read_text()), document)
        again, _, _ = self.suite(name)
        self.assertEqual(again, document)
        self.assertEqual(len(self.asked()), 3)
        self.assert_nothing_left()

    def test_interrupted(self):
        """Ctrl-C while a model is asked: 130, the rest is pending; the same command goes on, and asks for nothing that had ended."""
        name = self.files("level1/2_*", "level1/3_*", "level1/7_*")
        block = self.folder / "block"
        os.mkfifo(block)
        script = self.folder / "model.py"
        script.write_text(MODEL.replace("wrong = ", 'if "softmax" in source and pathlib.Path("block").is_fifo():\n    open("block").read()\nwrong = '))
        run = subprocess.Popen([RUNTIME, "suite", "run", name, "--config", "campaign.toml", "--json"], cwd=self.folder, env=self.env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _started.add(run.pid)
        self.addCleanup(lambda: run.poll() is None and run.kill())
        with open(block, "w"):  # opens once the model of the second problem reads
            block.unlink()
            run.send_signal(signal.SIGINT)
            run.send_signal(signal.SIGTERM)
            out, said = run.communicate(timeout=PATIENCE)
        _started.discard(run.pid)
        self.assertEqual(run.returncode, 130, said)
        standings = {c["problem"]: c["standing"] for c in json.loads(out)["cells"]}
        self.assertEqual(standings, {"level1/2_ReLU": "judged", "level1/3_Softmax": "pending", "level1/7_cumsum": "pending"})
        document, cells, _ = self.suite(name)
        self.assertEqual({c["state"] for c in cells.values()}, {"correct"})
        self.assertEqual(document["totals"]["pending"], 0)
        self.assertEqual(sum("relu" in line for line in self.asked()), 1, self.asked())
        self.assert_nothing_left()

    def test_small_and_changed(self):
        """kb-small has smaller sizes and campaigns of its own; a file that has changed since is a new problem."""
        self.files("level1/3_*")
        self.suite("kernelbench:bench")
        document, _, _ = self.suite("kb-small:bench")
        self.assertEqual(document["cells"][0]["campaign"], "kb.small.level1.3_Softmax")
        self.assertEqual((self.folder / "sizes").read_text().splitlines(), ["dim = 1024", "dim = 64"])
        path = self.folder / "bench/level1/3_Softmax.py"
        path.write_text(path.read_text().replace("dim = 1024", "dim = 96"))
        self.suite("kernelbench:bench", "--set", "search.warm_start=0")  # or the earlier solution is the one candidate
        self.assertEqual((self.folder / "sizes").read_text().splitlines()[2:], ["dim = 96"])

    def test_baselines_apart(self):
        """Two baselines are two columns with metrics each, in campaigns of their own."""
        document, _, _ = self.suite(self.files("level1/3_*"), "--baseline", "reference", "--baseline", "eager")
        self.assertEqual([(c["baseline"], c["metrics"]["n"]) for c in document["columns"]], [("reference", 1), ("eager", 1)])
        self.assertEqual([c["campaign"] for c in document["cells"]], ["kb.level1.3_Softmax", "kb.level1.3_Softmax.eager"])

    def test_too_large(self):
        """A problem over the memory that a kernel may take is no problem with a bad check: refused, and its note names the limit. It is not
        measured again by the next start."""
        self.files("level1/2_*")
        path = self.folder / "bench/level1/2_ReLU.py"
        path.write_text(path.read_text().replace("dim = 4096", "dim = 1 << 30"))
        document, cells, said = self.suite("kernelbench:bench", code=1)
        self.assertEqual(cells["level1/2_ReLU"]["standing"], "refused", cells)
        self.assertIn("memory limit", cells["level1/2_ReLU"]["note"])
        self.assertEqual((document["metrics"]["n"], self.asked()), (0, []))
        self.assertIn(" begins", said)
        again, _, said = self.suite("kernelbench:bench", code=1)
        self.assertEqual(again, document)
        self.assertNotIn(" begins", said)

    def test_bad_usage(self):
        """No such suite, no such words, no such baseline, a wrong file: one error and exit code 2, before anything is started."""
        name = self.files("level1/3_*")
        for args, word in (((name, "--filter", "nothing"), "none of the 1 problems"), (("kernelbench:none",), "there is no folder"),
                           (("kernelbnch:bench",), "did you mean"), ((name, "--baseline", "fastest"), "--baseline"),
                           ((name, "--set", "goal.floor=7"), "goal.floor"), (("bench/none",), "there is no folder")):
            with self.subTest(args):
                done = self.call("suite", "run", *args, "--config", "campaign.toml", code=2)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "store").exists())


if __name__ == "__main__":
    unittest.main()
