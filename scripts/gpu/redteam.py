#!/usr/bin/env python3
"""The red team on a device: exploits and honest look-alikes in Python (tests/redteam/gpu), each judged by `ke-runtime eval`.

    scripts/gpu/redteam.py --programs DIR [--work DIR] [--only WORD] [--parallel N] [--list]

The first docstring of a candidate says, as TOML, what an honest evaluator may answer: `accept` (states), `most_speedup` (what an exploit may be
paid at most), `timed`, `problem`, `control = true` (an honest one, which must not be refused). Needs the bundle's programs (or a build folder)
and a Python whose PyTorch has CUDA (KE_PYTHON). Those that are not timed run N at once, the others alone. One JSON object a line; exit code 1
where an answer is another one than it may be."""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "tests/redteam/gpu"
KEYS = {"trick", "accept", "timed", "most_speedup", "problem", "control"}
LIMIT_S = 150


class Entry:
    def __init__(self, path):
        text = path.read_text()
        match = re.match(r'"""redteam\n(.*?)"""\n', text, re.S)
        if not match:
            sys.exit(f"{path}: the first lines must be the docstring `redteam` with its keys")
        about = tomllib.loads(match.group(1))
        if set(about) - KEYS or not {"trick", "accept"} <= set(about):
            sys.exit(f"{path}: keys are {sorted(KEYS)}")
        self.name, self.source, self.about = path.stem, text[match.end():], about

    @property
    def timed(self):
        return self.about.get("timed", False)


def judged(entry, programs, work):
    """What `eval` says of one candidate, and whether it may."""
    folder = Path(tempfile.mkdtemp(prefix=entry.name + "-", dir=work))
    (folder / "candidate.py").write_text(entry.source)
    problem = FOLDER / "problems" / entry.about.get("problem", "rows") / "problem.toml"
    command = [str(programs / "ke-runtime"), "eval", str(problem), "candidate.py", "--backend", "torch-cuda", "--json"]
    begun = time.monotonic()
    try:
        run = subprocess.run(command + (["--plan", "rank"] if entry.timed else ["--untimed"]), cwd=folder, capture_output=True, text=True,
                             timeout=LIMIT_S)
        verdict = json.loads(run.stdout) if run.stdout.startswith("{") else {"state": "none", "reason": run.stderr[-400:]}
    except subprocess.TimeoutExpired:
        verdict = {"state": "none", "reason": f"no verdict within {LIMIT_S} s"}
    timing = verdict.get("timing") or {}
    line = {"name": entry.name, "state": verdict["state"], "reason": verdict["reason"][:200], "speedup": timing.get("speedup"),
            "ci95": timing.get("ci95"), "seconds": round(time.monotonic() - begun, 1)}
    most, low = entry.about.get("most_speedup"), (timing.get("ci95") or [0])[0]
    line["right"] = verdict["state"] in entry.about["accept"] and not (most and verdict["state"] == "correct" and low > most)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--parallel", type=int, default=3)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    entries = [e for e in map(Entry, sorted((FOLDER / "candidates").glob("*.py"))) if options.only in e.name]
    if options.list:
        for e in entries:
            print(f"{e.name:32} {e.about['trick']}")
        return 0
    if not options.programs:
        parser.error("--programs names the folder of ke-runtime")
    programs, wrong = options.programs.resolve(), 0
    with tempfile.TemporaryDirectory(dir=options.work) as work, ThreadPoolExecutor(max(1, options.parallel)) as pool:
        begun = time.monotonic()

        def told(line):
            print(json.dumps(line), flush=True)
            return not line["right"]

        wrong += sum(map(told, pool.map(lambda e: judged(e, programs, work), [e for e in entries if not e.timed])))
        wrong += sum(told(judged(e, programs, work)) for e in entries if e.timed)
        honest = sum(e.about.get("control", False) for e in entries)
        print(json.dumps({"candidates": len(entries), "honest": honest, "wrong": wrong, "seconds": round(time.monotonic() - begun)}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
