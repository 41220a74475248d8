#!/usr/bin/env python3
"""Kernels of known cause, diagnosed on this machine's device.

    scripts/gpu/diagnosis.py --programs DIR [--work DIR] [--only NAME...] [--backend cuda] [--runs 3] [--json FILE]

For each folder of scripts/gpu/causes: `ke-runtime profile`, and whether bottleneck and cause are those of the first line of its kernel.cu. Prints a
line a run; FILE gets it as JSON, and beside FILE the tool's own words, NAME.csv. Exit code 1 where fewer than ten in eleven were right."""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEAST_RIGHT = 10 / 11


def expected(kernel):
    """`// memory: uncoalesced, or: gather` -> "memory", ["uncoalesced", "gather"]."""
    bottleneck, _, causes = kernel.read_text().split("\n", 1)[0].removeprefix("//").partition(":")
    return bottleneck.strip(), [cause.strip() for cause in causes.split(", or:")]


def profiled(o, folder):
    out = Path(o.work) / folder.name
    shutil.rmtree(out, ignore_errors=True)
    words = [Path(o.programs) / "ke-runtime", "profile", folder, folder / "kernel.cu", "--backend", o.backend, "--json", "-o", out]
    words += ["--backend-path", o.backend_path] if o.backend_path else []
    done = subprocess.run(words, capture_output=True, text=True)
    try:
        return json.loads(done.stdout), out
    except ValueError:
        return {"state": "none", "reason": done.stderr.strip() or done.stdout.strip()}, out


def row_of(o, folder):
    bottleneck, causes = expected(folder / "kernel.cu")
    begun = time.monotonic()
    seen, out = profiled(o, folder)
    said = seen.get("diagnosis") or {}
    counters, findings = seen.get("counters", {}), seen.get("findings", {})
    if o.json and (out / "ncu.txt").exists():
        shutil.copy(out / "ncu.txt", Path(o.json).parent / f"{folder.name}.csv")
    return {"kernel": folder.name, "state": seen["state"], "reason": seen["reason"], "bottleneck": said.get("bottleneck"), "cause": said.get("cause"),
            "expected": [bottleneck, causes], "right": said.get("bottleneck") == bottleneck and said.get("cause") in causes,
            "confidence": said.get("confidence"), "shares": said.get("evidence", {}).get("shares"), "kernels": findings.get("device_kernels"),
            "trouble": findings.get("no_ncu"), "wall_s": round(time.monotonic() - begun, 1),
            "counters": {k: v for k, v in counters.items() if k.startswith(("kernels.", "role."))}}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--work", default="/tmp/ke-diagnosis")
    p.add_argument("--only", nargs="*", default=[])
    p.add_argument("--backend", default="cuda")
    p.add_argument("--backend-path")
    p.add_argument("--runs", type=int, default=1)
    p.add_argument("--json")
    o = p.parse_args()
    rows = []
    for run in range(o.runs):
        for folder in sorted(f for f in (HERE / "causes").iterdir() if f.is_dir() and (not o.only or f.name in o.only)):
            row = {"run": run, **row_of(o, folder)}
            rows.append(row)
            print(json.dumps({k: v for k, v in row.items() if k != "counters"}), flush=True)
    if o.json:
        Path(o.json).write_text("".join(json.dumps(row) + "\n" for row in rows))
    right = sum(row["right"] for row in rows)
    print(f"{right} of {len(rows)} right")
    return 0 if right >= LEAST_RIGHT * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
