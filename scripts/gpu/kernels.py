#!/usr/bin/env python3
"""Runs the complete CUDA and Gluon kernels of the knowledge base without the program: right beside PyTorch, and how fast.

    scripts/gpu/kernels.py [--only WORD...] [--quick]

Needs nvcc, CuPy and PyTorch on a machine with a device. Each kernel is compiled by nvcc for sm_90a, launched as its page declares, on sizes as they
are met, on ragged ones, and on tensors that begin one element off; then timed by a graph of 20 calls beside PyTorch's operator, on the same data
(what is larger than L2 comes from memory). One JSON line each; --quick leaves the times out. Exit code 1: one is wrong.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import cupy
import numpy
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/scenario"))
from listings import listings  # noqa: E402

F32, BF16, F8 = torch.float32, torch.bfloat16, torch.float8_e4m3fn
CALLS = 20


def quantised(x):
    x = x.float()
    scale = x.abs().amax(1).clamp_min(1e-12) / torch.full((), 448.0, device="cuda")  # by a number it multiplies by the inverse
    return (x / scale[:, None]).to(F8), scale


def stencil(x):
    y = x.clone()
    y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return y


# Problem: dims of inputs and results, their types, the same by PyTorch, allowed error, sizes (the first is timed).
PROBLEMS = {
    "gelu_erf": ([("N",)], [F32], [("N",)], [F32], torch.nn.functional.gelu, 2e-6, [{"N": 1 << 26}, {"N": 10007}, {"N": 3}]),
    "row_sum": ([("M", "N")], [F32], [("M",)], [F32], lambda x: x.double().sum(1).float(), 2e-3,
                [{"M": 8192, "N": 8192}, {"M": 127, "N": 1001}, {"M": 3, "N": 5}, {"M": 600, "N": 30001}]),
    "softmax": ([("M", "N")], [F32], [("M", "N")], [F32], lambda x: x.softmax(1), 2e-6,
                [{"M": 256, "N": 131072}, {"M": 31, "N": 509}, {"M": 3, "N": 9001}, {"M": 2, "N": 500003}]),
    "linear_bf16": ([("M", "K"), ("N", "K")], [BF16, BF16], [("M", "N")], [BF16], lambda a, b: a @ b.T, 0.02,
                    [{"M": 4096, "N": 4096, "K": 4096}, {"M": 70, "N": 131, "K": 99}, {"M": 300, "N": 521, "K": 136}, {"M": 1, "N": 1, "K": 8}]),
    "matmul_bf16": ([("M", "K"), ("K", "N")], [BF16, BF16], [("M", "N")], [BF16], lambda a, b: a @ b, 0.02,
                    [{"M": 4096, "N": 4096, "K": 4096}, {"M": 70, "N": 136, "K": 104}, {"M": 1, "N": 8, "K": 8}]),
    "quantise_fp8": ([("M", "N")], [BF16], [("M", "N"), ("M",)], [F8, F32], quantised, 0.0,
                     [{"M": 8192, "N": 8192}, {"M": 31, "N": 509}, {"M": 5, "N": 16392}]),
    "prefix_sum": ([("M", "N")], [F32], [("M", "N")], [F32], lambda x: x.double().cumsum(1).float(), 1e-5,
                   [{"M": 64, "N": 1 << 20}, {"M": 13, "N": 4099}, {"M": 256, "N": 512}, {"M": 1, "N": 5000011}]),
    "stencil2d": ([("H", "W")], [F32], [("H", "W")], [F32], stencil, 1e-6,
                  [{"H": 8192, "W": 8192}, {"H": 131, "W": 257}, {"H": 1, "W": 1}, {"H": 2, "W": 300}, {"H": 77, "W": 128}]),
}
POSITIVE = {"prefix_sum"}
TIMED = {"row_sum": lambda x: x.sum(1), "prefix_sum": lambda x: x.cumsum(1)}  # where the truth is in wider arithmetic


def cubin(source, work):
    """Compiled as the program does, by nvcc in place of NVRTC."""
    file = Path(work) / "kernel.cu"
    file.write_text("#include <cstdint>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + source, encoding="utf-8")
    done = subprocess.run(["nvcc", "-arch=sm_90a", "-std=c++17", "-O3", "-cubin", str(file), "-o", str(file.with_suffix(".cubin"))],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return cupy.RawModule(path=str(file.with_suffix(".cubin")))


def launches(source, dims):
    """[(entry, grid, block, shared)] of the first comment."""
    declared = tomllib.loads(re.search(r"/\*(.*?)\*/", source, re.S).group(1))["launch"]
    names = {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b), **dims}

    def number(e):
        return int(eval(str(e).replace("/", "//"), {"__builtins__": {}}, names))  # of our own pages

    def three(e):
        all_of = [number(x) for x in (e if isinstance(e, list) else [e])]
        return tuple(all_of + [1] * (3 - len(all_of)))

    return [(t.get("entry", "kernel"), three(t["grid"]), three(t["block"]), number(t.get("shared", 0)))
            for t in (declared if isinstance(declared, list) else [declared])]


def of_cuda(listing, module, order):
    """The page's launches as a function of inputs, results and dims."""
    def call(inputs, results, dims):
        arguments = tuple(numpy.uint64(t.data_ptr()) for t in inputs + results) + tuple(numpy.int64(dims[d]) for d in order)
        for entry, grid, block, shared in launches(listing.source, dims):
            f = module.get_function(entry)
            if shared > 49152:
                f.max_dynamic_shared_size_bytes = shared
            if all(grid):
                f(grid, block, arguments, shared_mem=shared)
    return call


def of_python(listing, work):
    file = Path(work) / "candidate.py"
    file.write_text(listing.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("candidate", file)
    candidate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(candidate)

    def call(inputs, results, dims):
        results[0].copy_(candidate.kernel(*inputs)) if results else candidate.kernel(*inputs)
    return call


def tensors(shapes, types, dims, off, fill):
    made = []
    for shape, dtype in zip(shapes, types):
        extents = [dims[d] for d in shape]
        count = int(numpy.prod(extents))
        flat = fill(count + off).to(dtype) if fill else torch.empty(count + off, dtype=dtype, device="cuda")
        made.append(flat[off:].view(extents))
    return made


def worst(got, wanted):
    """The largest error, relative to the largest magnitude of the result."""
    got, wanted = got.double(), wanted.double()
    if not wanted.numel():
        return 0.0
    return ((got - wanted).abs().max() / wanted.abs().max().clamp_min(1e-30)).item()


def microseconds(call):
    """A call's time, of a graph of CALLS of them; the least of five readings."""
    stream = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream), cupy.cuda.Stream.from_external(stream):
        call()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CALLS):
                call()
    readings = []
    for _ in range(6):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        readings.append(start.elapsed_time(end) * 1e3 / CALLS)
    return min(readings[1:])


def judged(listing, work, quick):
    name = listing.problem.name
    ins, in_types, outs, out_types, by_torch, allowed, sizes = PROBLEMS[name]
    order = tomllib.loads((listing.problem / "problem.toml").read_text(encoding="utf-8"))["problem"]["dims"]
    call = of_cuda(listing, cubin(listing.source, work), order) if listing.language == "cuda" else of_python(listing, work)
    line = {"page": Path(listing.page).stem, "problem": name, "device": torch.cuda.get_device_name(), "errors": [], "right": True}
    for dims in sizes:
        for off in (0, 1):
            fill = (lambda n: torch.rand(n, device="cuda")) if name in POSITIVE else lambda n: torch.randn(n, device="cuda")
            inputs, results = tensors(ins, in_types, dims, off, fill), tensors(outs, out_types, dims, off, None)
            for turn in range(2):  # the second call finds what the first has left
                call(inputs, results, dims)
            torch.cuda.synchronize()
            wanted = by_torch(*inputs)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            error = max(worst(g, w) for g, w in zip(results, wanted))
            line["errors"].append([dims, off, float(f"{error:.2g}")])
            line["right"] &= error <= allowed
    if not quick:
        inputs, results = tensors(ins, in_types, sizes[0], 0, fill), tensors(outs, out_types, sizes[0], 0, None)
        own = [] if listing.language == "python" else results
        line["us"] = round(microseconds(lambda: call(inputs, own, sizes[0])), 2)
        line["torch_us"] = round(microseconds(lambda: TIMED.get(name, by_torch)(*inputs)), 2)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="pages whose names hold one of these words")
    parser.add_argument("--quick", action="store_true", help="no times")
    o = parser.parse_args()
    right = True
    for listing in listings():
        fits = listing.language == "cuda" or "gluon" in listing.page
        if not fits or listing.problem.name not in PROBLEMS or not any(w in listing.page for w in o.only):
            continue
        with tempfile.TemporaryDirectory() as work:
            line = judged(listing, work, o.quick)
        right &= line["right"]
        print(json.dumps(line), flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    os.environ.setdefault("CUDA_HOME", "/usr/local/cuda")
    sys.exit(main())
