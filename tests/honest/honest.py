#!/usr/bin/env python3
"""Honest kernels, untimed: none may be refused; beside them kernels in half precision or without some of their terms: each must be caught.

  honest.py [--checks N] [--seed S] [--parallel P] [--only OPERATOR...]      exit code 1 if a judgement is wrong

Each check draws an operator, its extents and initialisers, and a way of adding up (in order, from the end, pairwise, in lanes, in blocks,
compensated, in double, in vectors), or a transform where the problem allows its error (Winograd, DFT: tests/fixtures/transforms), and asks
the real `ke-runtime eval --untimed`. One check in four is of a wrong kernel. A wrong judgement is printed
with the folder that repeats it. KE_RUNTIME names the program.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = os.path.abspath(os.environ.get("KE_RUNTIME", ROOT / "build/release/ke-runtime"))

# Ways of adding up n terms. Every kernel below adds by the one called SUM.
PRELUDE = """#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

template <class F> float in_order(int64_t n, F term) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += term(i);
  return sum;
}
template <class F> float from_the_end(int64_t n, F term) {
  float sum = 0;
  for (int64_t i = n; i-- > 0;) sum += term(i);
  return sum;
}
template <class F> float pairwise(int64_t n, F term, int64_t from = 0) {
  if (n <= 8) return in_order(n, [&](int64_t i) { return term(from + i); });
  return pairwise(n / 2, term, from) + pairwise(n - n / 2, term, from + n / 2);
}
template <class F> float lanes(int64_t n, F term) {
  float sum[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) sum[l] += term(i + l);
  float rest = 0;
  for (; i < n; ++i) rest += term(i);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}
template <class F> float blocks(int64_t n, F term) {
  float sum = 0;
  for (int64_t from = 0; from < n; from += 64)
    sum += in_order(std::min<int64_t>(64, n - from), [&](int64_t i) { return term(from + i); });
  return sum;
}
template <class F> float compensated(int64_t n, F term) {
  float sum = 0, lost = 0;
  for (int64_t i = 0; i < n; ++i) {
    float y = term(i) - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  // What is lost of an infinity is no number, and would make none of the sum.
  return std::isfinite(lost) ? sum : in_order(n, term);
}
template <class F> float in_double(int64_t n, F term) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += term(i);
  return static_cast<float>(sum);
}
// Vectors of eight, two sums side by side, the tail by itself.
template <class F> float vectors(int64_t n, F term) {
  typedef float wide __attribute__((vector_size(32)));
  wide even = {}, odd = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int l = 0; l < 8; ++l) {
      even[l] += term(i + l);
      odd[l] += term(i + 8 + l);
    }
  even += odd;
  float sum = 0;
  for (int l = 0; l < 8; ++l) sum += even[l];
  for (; i < n; ++i) sum += term(i);
  return sum;
}
// Wrong ones.
inline float cut(float x, std::uint32_t bits) { // to so many bits fewer, to nearest
  std::uint32_t b;
  std::memcpy(&b, &x, 4);
  if ((b & 0x7f800000) != 0x7f800000) b = (b + (1u << (bits - 1))) & ~((1u << bits) - 1);
  std::memcpy(&x, &b, 4);
  return x;
}
template <class F> float terms_in_bf16(int64_t n, F term) {
  return in_order(n, [&](int64_t i) { return cut(term(i), 16); });
}
template <int bits, class F> float sum_cut(int64_t n, F term) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum = cut(sum + term(i), bits);
  return sum;
}
template <class F> float sum_in_bf16(int64_t n, F term) { return sum_cut<16>(n, term); }
// Not with terms in f16: over a thousand positive ones their errors average out, to less than float's own in order.
template <class F> float sum_in_f16(int64_t n, F term) { return sum_cut<13>(n, term); }
template <class F> float without_the_last(int64_t n, F term) { return lanes(n - 1, term); }
template <class F> float without_a_tail(int64_t n, F term) { return lanes(n > 8 ? n / 8 * 8 - (n % 8 == 0 ? 8 : 0) : n - 1, term); }
template <class F> float without_one_in_32(int64_t n, F term) {
  return in_order(n, [&](int64_t i) { return i % 32 == (n > 20 ? 20 : 0) ? 0.0f : term(i); });
}
"""
HONEST = ["in_order", "from_the_end", "pairwise", "lanes", "blocks", "compensated", "in_double", "vectors"]
WRONG = ["terms_in_bf16", "sum_in_bf16", "sum_in_f16", "without_the_last", "without_a_tail", "without_one_in_32"]


# Transforms: the file in tests/fixtures/transforms, and what stands before it.
TRANSFORMS = {"winograd_2": ("winograd.cpp", "#define TILE 2\n"), "winograd_4": ("winograd.cpp", "#define TILE 4\n"), "dft": ("dft.cpp", "")}
SPOILED = {"in_bf16": "#define NARROW(v) in_bf16(v)\n", "without_a_channel": "#define FIRST 1\n"}


class Operator:
    def __init__(self, family, tensors, extents, parameters, body, transforms=False):
        self.family, self.tensors, self.extents, self.parameters, self.body = family, tensors, extents, parameters, body
        self.transforms = transforms  # its candidates are TRANSFORMS, and errors are measured against the largest output

    def ways(self, wrong):
        if self.transforms:
            return [f"{t}:{s}" for t in TRANSFORMS for s in SPOILED] if wrong else list(TRANSFORMS)
        return WRONG if wrong else HONEST


def rows(draw):
    return {"M": draw.choice([1, 3, 8, 31, 64]), "N": draw.choice([17, 64, 96, 257, 1001, 2048, 4096])}


X_TO_ROW = [("x", "in", ["M", "N"]), ("y", "out", ["M"])]
X_TO_ALL = [("x", "in", ["M", "N"]), ("y", "out", ["M", "N"])]
IN_ROWS = "const float* x, float* y, int64_t M, int64_t N"


def each_row(text):
    return "  for (int64_t m = 0; m < M; ++m) {\n    const float* r = x + m * N;\n" + text + "  }\n"


OPERATORS = {
    "row_sum": Operator("reduction", X_TO_ROW, rows, IN_ROWS, each_row("    y[m] = SUM(N, [&](int64_t i) { return r[i]; });\n")),
    "mean_square": Operator("reduction", X_TO_ROW, rows, IN_ROWS,
                            each_row("    y[m] = SUM(N, [&](int64_t i) { return r[i] * r[i]; }) / static_cast<float>(N);\n")),
    "log_sum_exp": Operator("reduction", X_TO_ROW, rows, IN_ROWS, each_row(
        "    float most = *std::max_element(r, r + N);\n"
        "    y[m] = most + std::log(SUM(N, [&](int64_t i) { return std::exp(r[i] - most); }));\n")),
    "softmax": Operator("softmax", X_TO_ALL, rows, IN_ROWS, each_row(
        "    float most = *std::max_element(r, r + N);\n"
        "    float sum = SUM(N, [&](int64_t i) { return std::exp(r[i] - most); });\n"
        "    for (int64_t n = 0; n < N; ++n) y[m * N + n] = std::exp(r[n] - most) / sum;\n")),
    "rms_norm": Operator("normalization", X_TO_ALL, rows, IN_ROWS, each_row(
        "    float scale = 1.0f / std::sqrt(SUM(N, [&](int64_t i) { return r[i] * r[i]; }) / static_cast<float>(N) + 1e-5f);\n"
        "    for (int64_t n = 0; n < N; ++n) y[m * N + n] = r[n] * scale;\n")),
    "layer_norm": Operator("normalization", X_TO_ALL, rows, IN_ROWS, each_row(
        "    float mean = SUM(N, [&](int64_t i) { return r[i]; }) / static_cast<float>(N);\n"
        "    float variance = SUM(N, [&](int64_t i) { return (r[i] - mean) * (r[i] - mean); }) / static_cast<float>(N);\n"
        "    for (int64_t n = 0; n < N; ++n) y[m * N + n] = (r[n] - mean) / std::sqrt(variance + 1e-5f);\n")),
    # Blocks of 32, each block's offset by SUM of what is before it: a scan as vector machines do it.
    "scan": Operator("scan", X_TO_ALL, lambda draw: {"M": draw.choice([1, 5]), "N": draw.choice([33, 257, 512, 1001])}, IN_ROWS, each_row(
        "    for (int64_t from = 0; from < N; from += 32) {\n"
        "      float before = SUM(from, [&](int64_t i) { return r[i]; });\n"
        "      for (int64_t n = from; n < std::min(N, from + 32); ++n)\n"
        "        y[m * N + n] = before + SUM(n - from + 1, [&](int64_t i) { return r[from + i]; });\n"
        "    }\n")),
    "matmul": Operator("matmul", [("a", "in", ["M", "K"]), ("b", "in", ["K", "N"]), ("c", "out", ["M", "N"])],
                       lambda draw: {"M": draw.choice([8, 17, 33]), "N": draw.choice([8, 31, 48]), "K": draw.choice([16, 65, 256, 1000])},
                       "const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K",
                       "  for (int64_t m = 0; m < M; ++m)\n    for (int64_t n = 0; n < N; ++n)\n"
                       "      c[m * N + n] = SUM(K, [&](int64_t k) { return a[m * K + k] * b[k * N + n]; });\n"),
    "conv": Operator("conv", [("x", "in", ["C", "L"]), ("w", "in", ["F", "C", "K"]), ("y", "out", ["F", "L-K+1"])],
                     lambda draw: {"C": draw.choice([1, 4, 16]), "L": draw.choice([32, 129, 256]), "F": draw.choice([3, 8]),
                                   "K": draw.choice([3, 5, 9])},
                     "const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t F, int64_t K",
                     "  const int64_t P = L - K + 1;\n  for (int64_t f = 0; f < F; ++f)\n    for (int64_t l = 0; l < P; ++l)\n"
                     "      y[f * P + l] = SUM(C * K, [&](int64_t i) { return x[i / K * L + l + i % K] * w[f * C * K + i]; });\n"),
    "conv_by_transform": Operator("conv", [("x", "in", ["C", "L"]), ("w", "in", ["F", "C", "3"]), ("y", "out", ["F", "L-2"])],
                                  lambda draw: {"C": draw.choice([2, 4, 16]), "L": draw.choice([34, 130, 257]), "F": draw.choice([3, 8])},
                                  "const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t F",
                                  "  const int64_t P = L - 2;\n  for (int64_t f = 0; f < F; ++f)\n    for (int64_t l = 0; l < P; ++l)\n"
                                  "      y[f * P + l] = SUM(C * 3, [&](int64_t i) { return x[i / 3 * L + l + i % 3] * w[f * C * 3 + i]; });\n",
                                  transforms=True),
}


def kernel(operator, way):
    if way not in HONEST + WRONG:
        transform, _, spoiled = way.partition(":")
        file, before = TRANSFORMS[transform]
        return before + SPOILED.get(spoiled, "") + (ROOT / "tests/fixtures/transforms" / file).read_text()
    return f"{PRELUDE}#define SUM {way}\nextern \"C\" void kernel({operator.parameters}) {{\n{operator.body}}}\n"


def problem(name, operator, extents, inits):
    order = [p.split()[-1] for p in operator.parameters.split(",") if "int64_t" in p]
    text = f'[problem]\nname = "{name}"\nfamily = "{operator.family}"\ndims = {json.dumps(order)}\nreference = "reference.cpp"\n'
    for (tensor, role, shape), init in zip(operator.tensors, inits):
        text += f'\n[[tensor]]\nname = "{tensor}"\nrole = "{role}"\ndtype = "f32"\nshape = {json.dumps(shape)}\n'
        text += f'init = "{init}"\n' if role == "in" else ""
    for i, one in enumerate(extents):
        text += f'\n[[workload]]\nname = "w{i}"\ndims = {{ {", ".join(f"{d} = {e}" for d, e in one.items())} }}\n'
    return text + ('\n[tolerance]\nscale = "tensor"\n' if operator.transforms else "")


class Check:
    """One kernel for one problem, drawn from one number."""

    def __init__(self, seed, names):
        draw = random.Random(seed)
        self.seed, self.name = seed, draw.choice(names)
        self.operator = OPERATORS[self.name]
        self.wrong = draw.random() < 0.25
        self.way = draw.choice(self.operator.ways(self.wrong))
        self.extents = [self.operator.extents(draw) for _ in range(2)]
        self.inits = [draw.choice(["normal", "uniform"]) for _ in self.operator.tensors]

    def write(self, folder):
        folder.mkdir(parents=True)
        (folder / "problem.toml").write_text(problem(self.name, self.operator, self.extents, self.inits))
        (folder / "reference.cpp").write_text(kernel(self.operator, "in_order"))
        (folder / "candidate.cpp").write_text(kernel(self.operator, self.way))

    def judged(self, base):
        """What is wrong with the judgement; empty if nothing, and the state."""
        folder = base / f"{self.seed}-{self.name}-{self.way.replace(':', '-')}"
        self.write(folder)
        run = subprocess.run([RUNTIME, "eval", str(folder), str(folder / "candidate.cpp"), "--json", "--untimed", "--cache", str(base / "cache")],
                             capture_output=True, text=True, timeout=300)
        try:
            verdict = json.loads(run.stdout)
        except ValueError:
            verdict = {"state": "no verdict", "reason": (run.stdout + run.stderr)[:400]}
        wanted = "incorrect" if self.wrong else "correct"
        if verdict["state"] == wanted:
            shutil.rmtree(folder)
            return "", verdict["state"]
        return f"{folder}: {verdict['state']}, not {wanted}: {verdict.get('reason', '')[:300]}", verdict["state"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--parallel", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="+", default=sorted(OPERATORS), choices=sorted(OPERATORS), metavar="OPERATOR")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="ke-honest-"))
    base.chmod(0o755)
    checks = [Check(options.seed * 100_000 + i, options.only) for i in range(options.checks)]
    faults, states, begun = [], Counter(), time.monotonic()
    with ThreadPoolExecutor(options.parallel) as pool:
        for check, (fault, state) in zip(checks, pool.map(lambda c: c.judged(base), checks)):
            states["wrong" if check.wrong else "honest", state] += 1
            if fault:
                faults.append(fault)
                print(f"FAIL {fault}", flush=True)
    counted = ", ".join(f"{kind} {state}: {n}" for (kind, state), n in sorted(states.items()))
    print(f"-- {len(checks)} checks, seed {options.seed}, {time.monotonic() - begun:.0f} s: {counted}; {len(faults)} faults")
    if faults:
        return 1
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
