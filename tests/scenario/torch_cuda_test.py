"""Python candidates on a device, as the judge has them: here the device is host memory (tests/fake_cuda/torch), so what is shown is that parent,
forks, page, arena and verdicts fit together, and nothing about a device."""

import json
import os
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

from program import FAKE_CUDA, ROOT, RUNTIME, Scenario

PROBLEM = """[problem]
name = "rows"
dims = ["M", "N"]
reference = "reference.py"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["M", "N"]
init = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["M", "N"]
[[workload]]
name = "w"
dims = { M = 60, N = 300 }
"""
REFERENCE = "import torch\n\ndef reference(x):\n    return torch.softmax(x, 1)\n"
RIGHT = "import torch\n\ndef kernel(x):\n    return torch.softmax(x, 1)\n"
MODEL = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inner = nn.Linear(n, 24)

    def forward(self, x):
        return torch.relu(self.inner(x))

def get_inputs():
    return [torch.randn(16, 40)]

def get_init_inputs():
    return [40]
"""
BODIES = {
    "right": ("return torch.softmax(x, 1)", "correct", ""),
    "a view that is not contiguous": ("return torch.softmax(x.t().contiguous(), 0).t()", "correct", ""),
    "wrong": ("y = torch.softmax(x, 1)\n    if y.numel(): y[0, -1] += 0.5\n    return y", "incorrect", "wrong value at y[0, "),
    "another shape": ("return torch.softmax(x, 1)[1:]", "incorrect", "result 0 has the shape"),
    "a lazy tensor": ("return type('T', (torch.Tensor,), {})(torch.softmax(x, 1))", "incorrect", "result 0 is a T instead of a tensor"),
    "its input": ("y = torch.softmax(x, 1)\n    x.zero_()\n    return y", "cheating_suspected", "inputs_changed"),
    "an exception": ("return x @ x @ x[:, :1]", "crashed", "candidate.py:4"),
    "never ends": ("while True: pass", "timeout", "a call did not end within"),
    "what is left of the last call": ("global old\n    if 'old' not in globals() or old.shape != x.shape: old = torch.softmax(x, 1)\n    return old",
                                      "incorrect", ""),
}


class TorchCuda(Scenario):
    def setUp(self):
        super().setUp()
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]
        self.write("problem.toml", PROBLEM)
        self.write("reference.py", REFERENCE)

    def judged(self, source, *flags, problem="problem.toml", backend="fake-torch-cuda", env=None):
        self.write("candidate.py", source)
        run = self.call("eval", problem, "candidate.py", "--backend", backend, "--backend-path", ROOT / "tests/fake_cuda", "--json",
                        *flags, code=None, env={"KE_LIBCUDA": FAKE_CUDA, **(env or {})})
        self.assertTrue(run.stdout, run.stderr)
        return json.loads(run.stdout)

    def test_verdicts(self):
        for name, (body, state, reason) in BODIES.items():
            with self.subTest(name):
                verdict = self.judged(f"import torch\n\ndef kernel(x):\n    {body}\n", "--untimed")
                self.assertEqual(verdict["state"], state, verdict["reason"])
                self.assertIn(reason, verdict["reason"])
                self.assertEqual(verdict["device"], "nvidia-f100")

    def test_every_timed_call_is_checked_and_graphs_are_replayed(self):
        self.write("graph.toml", PROBLEM + '[policy]\nlaunch = "graph"\n')
        for problem in ("problem.toml", "graph.toml"):
            with self.subTest(problem):
                verdict = self.judged(RIGHT, "--plan", "rank", problem=problem)
                self.assertIn(verdict["state"], ("correct", "noisy"), verdict["reason"])
                self.assertGreater(verdict["correctness"]["timed_calls"], 0)
                self.assertEqual(verdict["correctness"]["timed_calls"], verdict["correctness"]["timed_calls_checked"])

    def test_energy_of_a_call(self):
        """What a call costs the device in energy, of both sides, in JSON and for people; a ranking does without."""
        verdict = self.judged(RIGHT, "--plan", "eval")
        self.assertIn(verdict["state"], ("correct", "noisy"), verdict["reason"])
        (timed,) = verdict["timing"]["workloads"]
        for side in ("candidate", "reference"):  # the device takes 120 W, and a call no less than some us and no more than a second
            self.assertGreater(timed[f"{side}_mj"], 1e-3)
            self.assertLess(timed[f"{side}_mj"], 120e3)
        said = self.call("eval", "problem.toml", "candidate.py", "--backend", "fake-torch-cuda", "--backend-path", ROOT / "tests/fake_cuda", "--plan", "eval",
                         code=None, env={"KE_LIBCUDA": FAKE_CUDA}).stdout
        self.assertRegex(said, r", [0-9.]+ m?J -> [0-9.]+ m?J \(medians\)")
        self.assertNotIn("candidate_mj", self.judged(RIGHT, "--plan", "rank")["timing"]["workloads"][0])

    def test_arguments_that_are_copies_are_of_this_order_s_inputs(self):
        """In sixteen bits, for the truth in double precision, and in other strides."""
        short = PROBLEM.replace('"f32"', '"bf16"')
        for name, text in {"bf16": short, "strides": PROBLEM.replace('init = "normal"', 'init = "normal"\nstrides = "any"')}.items():
            with self.subTest(name):
                self.write(f"{name}.toml", text)
                verdict = self.judged(RIGHT, "--untimed", problem=f"{name}.toml")
                self.assertEqual(verdict["state"], "correct", verdict["reason"])
                self.assertEqual(verdict["provenance"]["truth"], "the reference in wider arithmetic")

    def test_bug_the_backend_triton_only_compiled_where_a_device_was(self):
        """What a manifest builds without a device only runs as it is on one; `triton` is such a backend, its driver and files are torch-cuda's."""
        wrong = RIGHT.replace("softmax(x, 1)", "softmax(x, 1) + 1")
        for source, state in ((RIGHT, "correct"), (wrong, "incorrect")):
            verdict = self.judged(source, "--untimed", backend="fake-built")
            self.assertEqual((verdict["state"], verdict["device"]), (state, "nvidia-f100"), verdict["reason"])
            self.assertNotIn("sm_90.kernel.registers", json.dumps(verdict))
            verdict = self.judged(source, backend="fake-built", env={"CUDA_VISIBLE_DEVICES": ""})
            self.assertEqual((verdict["state"], verdict["device"]), ("compiled", "nvidia-sm_90"), verdict["reason"])
            self.assertEqual(verdict["metrics"]["sm_90.kernel.registers"], len(source))
        real, torch_cuda = (tomllib.loads((ROOT / "backends" / name / "backend.toml").read_text()) for name in ("triton", "torch-cuda"))
        self.assertEqual([j["name"] for j in real["job"] if j["name"] not in ("candidate", "static")], [j["name"] for j in torch_cuda["job"]])
        for table, key in (("backend", "driver"), ("backend", "device"), ("python", "folder"), ("limits", "call_s"), ("limits", "run_s"),
                           ("limits", "memory_bytes"), ("environment", "CUDA_HOME"), ("environment", "PATH"), ("capabilities", "executes"), ("capabilities", "timed")):
            self.assertEqual(real[table][key], torch_cuda[table][key], key)
        self.assertTrue(real["build"]["without_device_only"])
        self.assertEqual([Path(p).name for p in real["python"]["prepare"]], torch_cuda["python"]["prepare"])

    def test_a_kernelbench_file(self):
        self.write("model.py", MODEL)
        right = MODEL.replace("class Model", "class ModelNew").split("def get_inputs")[0]
        self.assertEqual(self.judged(right, "--untimed", problem="model.py")["state"], "correct")
        wrong = right.replace("torch.relu(", "torch.sigmoid(")
        self.assertEqual(self.judged(wrong, "--untimed", problem="model.py")["state"], "incorrect")

    def test_a_tool_looks_at_the_kernels_of_one_call(self):
        """In a sandbox, whoever's folder Python lies in. What it prints is another kernel's: this shows the way, not the numbers."""
        self.write("candidate.py", RIGHT)
        for number, problem in enumerate(("problem.toml", "model.py")):
            self.write("model.py", MODEL)
            self.write("candidate.py", RIGHT if problem == "problem.toml" else MODEL.replace("class Model", "class ModelNew").split("def get_inputs")[0])
            seen = json.loads(self.call("profile", problem, "candidate.py", "--backend", "fake-torch-cuda", "--backend-path", ROOT / "tests/fake_cuda",
                                        "-o", f"out{number}", "--json", env={"KE_LIBCUDA": FAKE_CUDA, "KE_NCU": str(ROOT / "tests/fake_cuda/ncu")}).stdout)
            self.assertNotIn("no_ncu", seen["findings"])
            self.assertEqual(seen["counters"]["kernels.count"], 2)
            self.assertIn("ncu.txt", seen["files"])

    def test_a_finalist_is_looked_at_by_a_sanitizer(self):
        """A race that every call hides is found by who looks for races, and forgiven where the reference has it, too. A tool that is not there is told."""
        slow = "    for _ in range(6): y = torch.softmax(x, 1)\n"
        finds, has_tool = '    print("ke-test: a race")\n', {"KE_COMPUTE_SANITIZER": str(ROOT / "tests/fake_cuda/compute-sanitizer")}
        body = "import torch\n\ndef {}(x):\n{}    return torch.softmax(x, 1)\n"
        races, plain = body.format("kernel", finds), body.format("kernel", "")

        def claimed(reference, source, env):
            self.write("reference.py", body.format("reference", slow + reference))
            verdict = self.judged(source, "--plan", "claim", env=env)
            return verdict, verdict["provenance"].get("checked_by")
        verdict, by = claimed("", races, has_tool)
        self.assertEqual((verdict["state"], by), ("incorrect", "memcheck"), verdict["reason"])
        self.assertEqual(verdict["reason"], "racecheck: Race in shared memory between a write, at line 5, and a read, at line 6")
        self.assertIn("RACECHECK SUMMARY", verdict["log"])
        verdict, by = claimed(finds, races, has_tool)
        self.assertEqual((verdict["state"], by), ("correct", "memcheck, racecheck, initcheck"), verdict["reason"])
        verdict, by = claimed("", plain, {})
        self.assertEqual((verdict["state"], by), ("correct", None), verdict["reason"])
        self.assertEqual(verdict["provenance"]["unchecked_by"],
                         "memcheck, racecheck, initcheck: compute-sanitizer is not on this machine: set KE_COMPUTE_SANITIZER to tests/fake_cuda/compute-sanitizer")

    def test_a_device_that_fails_and_comes_back_while_a_campaign_runs(self):
        """The script for real devices (scripts/gpu), on two that are host memory."""
        self.write("problem/problem.toml", PROBLEM)
        self.write("problem/reference.py", REFERENCE)
        run = subprocess.run([sys.executable, "-B", ROOT / "scripts/gpu/two_devices.py", "--programs", Path(RUNTIME).parent, "--work", self.folder / "two",
                              "--backend", "fake-torch-cuda", "--backend-path", ROOT / "tests/fake_cuda", "--device", "nvidia-f100", "--fake", FAKE_CUDA,
                              "--problem", self.folder / "problem", "--candidates", "18"], env={**os.environ, **self.env}, capture_output=True, text=True,
                             timeout=300)
        steps = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual([s["step"] for s in steps], ["both work", "one has failed", "it is back", "ended"])
        self.assertEqual(steps[1]["device"], "nvidia-f100#2")
        self.assertTrue(steps[1]["reason"])


if __name__ == "__main__":
    unittest.main()
