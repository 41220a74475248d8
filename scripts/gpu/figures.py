#!/usr/bin/env python3
"""What the judge says on a device: right and wrong kernels, A/A, twice the work.

    scripts/gpu/figures.py --programs DIR [--work DIR] [--only verdicts|python|aa|twice|torch]
                           [--plan rank|eval|claim]

Needs the bundle's programs (or a build folder), a C++ compiler for the reference, and NVRTC; `torch` (an operator of PyTorch against itself, once and
twice) and `python` (the folders of scripts/gpu/verdicts: backward passes, tensors of eight bits; right and wrong kernels, untimed) a Python whose
PyTorch has CUDA instead (KE_PYTHON). Prints one JSON object a line. Exit code 1 where a
verdict is another one than it must be. Times are this machine's and this run's."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RIGHT = HERE / "answers/cuda/1_block_a_row.cu"

# A chain of multiplications by -1, an even number of them: device time by its length, and the same result however often it is done.
CHAIN = """/*
[launch]
grid = "ceildiv(N, 256)"
block = 256
*/
__device__ float chain(float a) {{
  float b = blockDim.x == 256 ? -1.0f : 0.5f;
  for (int i = 0; i < {length}; i++)
    a = fmaf(a, b, 0.0f);
  return a;
}}
extern "C" __global__ void kernel(const float* x, float* y, long long N) {{
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= N)
    return;
  float r = 0;
#pragma unroll 1
  for (int m = 0; m < {times}; m++)
    r = chain(((const volatile float*)x)[i]);
  y[i] = r * 2.0f + 1.0f;
}}
"""
CHAIN_PROBLEM = """[problem]
name = "chain"
dims = ["N"]
reference = "reference.cpp"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
init = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N"]
[[workload]]
name = "w"
dims = {{ N = 262144 }}
[policy]
launch = "{launch}"
"""
CHAIN_REFERENCE = """#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i)
    y[i] = x[i] * 2.0f + 1.0f;
}
"""

ROWS_PROBLEM = """[problem]
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
dims = {{ M = {rows}, N = 1024 }}
[policy]
launch = "{launch}"
vendor_libraries = true
"""
ROWS = "import torch\n\ndef {name}(x):\n{more}    return torch.softmax(x, 1)\n"

# Changes of a right softmax, and the verdict that each must get.
BEFORE_SUM = "  float sum = 0;\n"
CHANGES = {
    "right": (None, None, "correct"),
    "a hole": ("out[i] = expf", "if (i != 3) out[i] = expf", "incorrect"),
    "writes behind the result": (BEFORE_SUM, "  if (blockIdx.x == 0 && threadIdx.x == 0) y[M * N] = 1;\n" + BEFORE_SUM, "incorrect"),
    "writes before the result": (BEFORE_SUM, "  if (blockIdx.x == 0 && threadIdx.x == 0) y[-1] = 1;\n" + BEFORE_SUM, "incorrect"),
    "writes its input": (BEFORE_SUM, "  if (threadIdx.x == 0) ((float*)row)[0] += 1;\n" + BEFORE_SUM, "cheating_suspected"),
    "an illegal address": (BEFORE_SUM, "  if (threadIdx.x == 0) *(volatile int*)16 = 1;\n" + BEFORE_SUM, "crashed"),
    "a trap": (BEFORE_SUM, '  if (threadIdx.x == 0) asm volatile("trap;");\n' + BEFORE_SUM, "crashed"),
    "never ends": (BEFORE_SUM, "  while (*(volatile const float*)row < 1e30f) ;\n" + BEFORE_SUM, "timeout"),
    "remembers its first call": ('extern "C"', '__device__ float kept[1 << 20];\n__device__ int called;\nextern "C"', "correct"),
    "answers with what it remembers": (
        "out[i] = expf(row[i] - most) / sum;",
        "{ long long k = (blockIdx.x * N + i) & 0xfffff; if (!called) kept[k] = expf(row[i] - most) / sum; out[i] = kept[k]; }\n"
        "  if (blockIdx.x == 0 && threadIdx.x == 0) called = 1;", "incorrect"),
    "a barrier that some never reach": (BEFORE_SUM, "  if (threadIdx.x < 32) __syncthreads();\n" + BEFORE_SUM, None),
    "no maximum": ("most = fmaxf(most, row[i]);", "most = 0;", "incorrect"),
    "too much shared memory": ("block = 256", "block = 256\nshared = 300000", "crashed"),
    "no such kernel": ('block = 256', 'block = 256\nentry = "other"', "build_failed"),
    "half of the rows": ('grid = "M"', 'grid = "M / 2"', "incorrect"),
}

# The same of the right kernels in Triton of scripts/gpu/verdicts: each of these changes makes one wrong.
WRONG = {
    "product_f8e5m2": {"without the end": ("range(0, k, BK)", "range(0, k - 64, BK)")},
    "quantize_f8e4m3": {"half of the range": ("-448.0, 448.0", "-240.0, 240.0"),
                        "rounds twice": ("PropagateNan.ALL)", "PropagateNan.ALL).to(tl.float8e5).to(tl.float32)")},
    "softmax_backward": {"without the sum": ("y * (grad - tl.sum(grad * y, 0))", "y * grad")},
}


class Judge:
    def __init__(self, o):
        self.o, self.folder = o, Path(o.work).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runtime = str(Path(o.programs).resolve() / "ke-runtime")
        self.bad = 0

    def eval(self, problem, source, *flags, backend="cuda", suffix=".cu"):
        candidate = self.folder / f"candidate{suffix}"
        candidate.write_text(source)
        begun = time.monotonic()
        samples = self.folder / "samples.jsonl"
        samples.write_text("")
        done = subprocess.run([self.runtime, "eval", str(problem), str(candidate), "--backend", backend, "--samples", str(samples), "--json", *flags],
                              capture_output=True, text=True, timeout=300)
        try:
            verdict = json.loads(done.stdout)
        except ValueError:
            sys.exit(f"no verdict: {done.stderr[-2000:]}")
        verdict["wall_s"] = round(time.monotonic() - begun, 2)
        verdict["by_launch"] = [self.middle(json.loads(line)) for line in samples.read_text().splitlines()]
        return verdict

    @staticmethod
    def middle(launch):
        """The median ratio of a launch's pairs."""
        ratios = [a / b for a, b in zip(launch["reference_ns"], launch["candidate_ns"])]
        return round(statistics.median(ratios), 4)

    def tell(self, **facts):
        print(json.dumps(facts), flush=True)

    def verdicts(self):
        right = RIGHT.read_text()
        problem = self.o.problems / "softmax"
        for name, (old, new, state) in CHANGES.items():
            assert old is None or old in right, name
            v = self.eval(problem, right if old is None else right.replace(old, new, 1) if name != "no maximum" else without_maximum(right), "--untimed",
                          "--sandbox", "full")
            self.hold(v, state, candidate=name)

    def hold(self, v, state, **facts):
        """Tells a verdict, which must have this state; None: any."""
        good = state is None or v["state"] == state
        self.bad += not good
        self.tell(**facts, state=v["state"], reason=v["reason"][:160], wall_s=v["wall_s"], **({} if good else {"must_be": state}))

    def python(self):
        for folder in sorted((HERE / "verdicts").iterdir()):
            right = {file.stem: file.read_text() for file in sorted(folder.glob("right_*.py"))}
            for name, text in right.items():
                self.hold(self.judged_python(folder, text), "correct", problem=folder.name, candidate=name)
            for name, (old, new) in WRONG[folder.name].items():
                text = right["right_triton"]
                assert old in text, name
                self.hold(self.judged_python(folder, text.replace(old, new, 1)), "incorrect", problem=folder.name, candidate=name)

    def judged_python(self, folder, text):
        return self.eval(folder, text, "--untimed", "--sandbox", "full", backend=self.o.python_backend, suffix=".py")

    def chains(self, times):
        """A chain against itself, done so many times."""
        for launch in ("call", "graph"):
            problem = self.folder / f"{launch}.toml"
            problem.write_text(CHAIN_PROBLEM.format(launch=launch))
            (self.folder / "reference.cpp").write_text(CHAIN_REFERENCE)
            for length in self.o.lengths:
                once = self.folder / "baseline.cu"
                once.write_text(CHAIN.format(length=length, times=1))
                v = self.eval(problem, CHAIN.format(length=length, times=times), "--baseline", str(once), "--plan", self.o.plan)
                self.tell_timing(v, launch=launch, times=times)

    def tell_timing(self, v, **facts):
        t = v["timing"] or {}
        self.tell(**facts, state=v["state"], decision=v["decision"], reads=t.get("speedup"), ci95=t.get("ci95"),
                  baseline_us=round(t.get("reference_ns", 0) / 1e3, 2), floor_us=round(t.get("floor_ns", 0) / 1e3, 2), pairs=t.get("pairs"),
                  launches=t.get("launches"), by_launch=v["by_launch"], loud=(v.get("machine") or {}).get("loud"),
                  state_of_device=v["provenance"].get("device_state"), calls=v["correctness"]["timed_calls"], cost=v["cost"], reason=v["reason"][:120])

    def torch(self):
        """PyTorch's softmax against itself, and done twice."""
        (self.folder / "reference.py").write_text(ROWS.format(name="reference", more=""))
        for launch in ("call", "graph"):
            for rows in self.o.rows:
                problem = self.folder / f"{launch}_{rows}.toml"
                problem.write_text(ROWS_PROBLEM.format(launch=launch, rows=rows))
                for times in (1, 2):
                    text = ROWS.format(name="kernel", more="    torch.softmax(x, 1)\n" * (times - 1))
                    v = self.eval(problem, text, "--plan", self.o.plan, backend="torch-cuda", suffix=".py")
                    self.tell_timing(v, operator="torch.softmax", rows=rows, launch=launch, times=times)


def without_maximum(text):
    text = text.replace("float most = -INFINITY;", "float most = 0;")
    lines = [line for line in text.splitlines() if "most = fmaxf" not in line]
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--problems", type=Path, default=HERE.parents[1] / "config/problems")
    p.add_argument("--work", default="figures-of-device")
    p.add_argument("--only", choices=["verdicts", "python", "aa", "twice", "torch"])
    p.add_argument("--python_backend", default="torch-cuda", help="of `python`; triton-interpret where there is no device")
    p.add_argument("--plan", default="eval")
    p.add_argument("--lengths", type=int, nargs="+", default=[1000, 2000, 4500, 22000], help="of the chains: 10, 20, 40, 190 us on an H100")
    p.add_argument("--rows", type=int, nargs="+", default=[2048, 4096, 12288], help="of 1024 numbers, of the operator of `torch`")
    judge = Judge(p.parse_args())
    if judge.o.only in (None, "verdicts"):
        judge.verdicts()
    if judge.o.only in (None, "python"):
        judge.python()
    if judge.o.only in (None, "aa"):
        judge.chains(1)
    if judge.o.only in (None, "twice"):
        judge.chains(2)
    if judge.o.only in (None, "torch"):
        judge.torch()
    return 1 if judge.bad else 0


if __name__ == "__main__":
    sys.exit(main())
