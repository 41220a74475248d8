#!/usr/bin/env python3
"""Runs the complete candidates of the knowledge base on a device, at the sizes that they are for: verdict and speedup over the reference.

    scripts/gpu/listings.py --programs DIR [--work DIR] [--only WORD...] [--device 'nvidia-*'] [--plan rank|eval] [--json FILE]
                            [--backend NAME] [--workload NAME] [--copies N]

Python's are judged by the backend torch-cuda beside PyTorch, by `launch = "graph"`; CUDA's by the backend cuda, whose reference is a host
program, so only their verdicts and times say something. One JSON line each: page, problem, workloads, state, reason, speedup with its
interval, times, and the seconds of the verdict by stage. With --copies each is judged so many times in one evaluation, as candidates that differ in a
comment: what later ones cost, who find the problem's truths known. Exit code 1: one is not correct.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/scenario"))
from listings import listings  # noqa: E402

# Sizes as they are met; what is in the problems' own files is for an interpreter.
SIZES = {
    "softmax": {"short": {"M": 8192, "N": 1024}, "long": {"M": 1024, "N": 32768}},
    "rms_norm": {"layer": {"M": 4096, "N": 4096}},
    "linear_gelu": {"layer": {"M": 2048, "N": 2048, "K": 1024}},  # beside longer sums nobody sees the bias
    "matmul_bf16": {"square": {"M": 4096, "N": 4096, "K": 4096}},
    "matmul_fp8_blocks": {"square": {"M": 2048, "N": 2048, "K": 2048}},
    "matmul_fp8": {"square": {"M": 2048, "N": 2048, "K": 2048}},
    "decode": {"layer": {"M": 4, "N": 4096, "K": 4096}},
    "attention": {"long": {"B": 2, "H": 16, "S": 2048, "D": 128}, "narrow": {"B": 4, "H": 16, "S": 1024, "D": 64}},
    "cross_entropy": {"tokens": {"M": 4096, "N": 32768}},
    "bucketize": {"values": {"N": 4194304, "B": 256}},
    "conv1d": {"audio": {"B": 16, "C": 64, "L": 4096, "F": 64, "K": 5}},
    "layernorm": {"layer": {"M": 4096, "N": 1024}},
    "transpose": {"square": {"M": 4096, "N": 4096}},
    "mean": {"values": {"N": 16777216}},
    "gelu_erf": {"values": {"N": 16777216}},
    "row_sum": {"rows": {"M": 4096, "N": 4096}},
    "prefix_sum": {"long": {"M": 16, "N": 1048576}},
    "quantise_fp8": {"rows": {"M": 2048, "N": 4096}},
    "stencil2d": {"square": {"H": 4096, "W": 4096}},
    "linear_bf16": {"square": {"M": 512, "N": 512, "K": 512}},  # the reference is one thread of the host
}


def sizes_of(name, only):
    return {workload: dims for workload, dims in SIZES[name].items() if only in (None, workload)}


def resized(folder, work, name, only=None):
    """A copy of the problem with these workloads."""
    text = (folder / "problem.toml").read_text(encoding="utf-8")
    text = re.sub(r"(?ms)^\[\[workload\]\]\n.*?(?=^\[|\Z)", "", text)
    for workload, dims in sizes_of(name, only).items():
        text += f'\n[[workload]]\nname = "{workload}"\ndims = {{ {", ".join(f"{k} = {v}" for k, v in dims.items())} }}\n'
    if "[policy]" in text:
        text = text.replace("[policy]", '[policy]\nlaunch = "graph"')
    else:
        text += '\n[policy]\nlaunch = "graph"\n'
    to = Path(work) / name
    to.mkdir(exist_ok=True)
    for file in folder.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    (to / "problem.toml").write_text(text, encoding="utf-8")
    return to / "problem.toml"


def copies(file, count, comment):
    """As many files of the same code."""
    first = Path(file)
    files = [first.with_stem(f"{first.stem}_{i}") for i in range(count)]
    for i, copy in enumerate(files):
        copy.write_text(first.read_text(encoding="utf-8") + f"\n{comment} {i}\n", encoding="utf-8")
    return files if count > 1 else [first]


def judged(o, listing, work):
    """A line for each copy that was judged."""
    name, on_host = listing.problem.name, listing.language == "cuda"
    problem, (_, file) = resized(listing.problem, work, name, o.workload), listing.write(work)
    backend = "cuda" if on_host else o.backend
    files = copies(file, o.copies, "//" if on_host else "#")
    done = subprocess.run([os.path.join(o.programs, "ke-runtime"), "eval", problem, *files, "--backend", backend, "--device", o.device, "--plan", o.plan,
                           "--json"], capture_output=True, text=True)
    line = {"page": Path(listing.page).stem, "problem": name, "sizes": sizes_of(name, o.workload), "backend": backend}
    verdicts = [json.loads(v) for v in done.stdout.splitlines() if v.startswith("{")]
    if len(verdicts) < o.copies:
        return [line | {"state": "none", "reason": done.stderr.strip()[-300:]}]
    return [line | told(v) for v in verdicts]


def told(v):
    timing = v.get("timing") or {}
    return {"device": v["device"], "state": v["state"], "reason": v["reason"], "speedup": timing.get("speedup"), "ci95": timing.get("ci95"),
            "workloads": timing.get("workloads"), "cost": v["cost"]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--programs", required=True)
    p.add_argument("--work", default=tempfile.gettempdir())
    p.add_argument("--only", nargs="*", default=[], help="parts of pages' names")
    p.add_argument("--device", default="nvidia-*")
    p.add_argument("--backend", default="torch-cuda", help="of Python")
    p.add_argument("--workload", help="this one alone")
    p.add_argument("--copies", type=int, default=1)
    p.add_argument("--plan", choices=["rank", "eval"], default="rank")
    p.add_argument("--json", type=argparse.FileType("a"), default=sys.stdout)
    o = p.parse_args()
    right = True
    with tempfile.TemporaryDirectory(dir=o.work) as work:
        for listing in listings():
            if listing.language == "c++":  # for CPUs: tests/scenario/listings_test.py
                continue
            if o.only and not any(word in listing.page for word in o.only):
                continue
            for line in judged(o, listing, work):
                right &= line["state"] == "correct"
                print(json.dumps(line), file=o.json, flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
