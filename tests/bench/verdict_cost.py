#!/usr/bin/env python3
"""What a rank verdict costs beside its timing (G20), without and with the bank of truths: verdict_cost.py [--candidates N] [--out FILE]

Each problem's candidate is judged N times in processes of their own, where nothing is kept, and N times by one process, of which the
first fills the bank and the others are counted. Medians; both ways in turn, so that the machine's other load meets both. The figure is
(check_s + time_s) / time_s, and beside it how many verdicts an hour of judging gives, as a ratio. KE_RUNTIME names the program.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = os.environ.get("KE_RUNTIME", str(ROOT / "build/release/ke-runtime"))
EXAMPLES = ROOT / "config/problems"
# So large that the plain product takes some 25 ms, and what a verdict asks of its reference shows.
SLOW = """
[[workload]]
name = "square"
dims = { M = 200, N = 200, K = 800 }

[[workload]]
name = "flat"
dims = { M = 32, N = 512, K = 1024 }

"""


def slow_matmul(folder):
    """The example of a product at other sizes."""
    shutil.copytree(EXAMPLES / "matmul", folder / "slow_matmul")
    toml = folder / "slow_matmul/problem.toml"
    before, rest = toml.read_text().split("[[workload]]", 1)
    toml.write_text(before + SLOW + rest[rest.index("[policy]"):])
    return toml.parent


def judged(problem, files):
    run = subprocess.run([RUNTIME, "eval", str(problem), *map(str, files), "--json", "--plan", "rank"], capture_output=True, text=True, check=False)
    verdicts = [json.loads(line) for line in run.stdout.splitlines()]
    wrong = [v["state"] for v in verdicts if v["state"] not in ("correct", "noisy")]
    if wrong or len(verdicts) != len(files):
        raise SystemExit(f"{problem.name}: {wrong or run.stderr[:300]}")
    return [v["cost"] for v in verdicts]


def row(problem, candidate, count, folder):
    files = []
    for i in range(count + 1):
        files.append(folder / f"{problem.name}-{i}.cpp")
        files[-1].write_text(f"// candidate {i}\n" + candidate.read_text())
    alone, together = [], []
    for half in (files[1:len(files) // 2 + 1], files[len(files) // 2 + 1:]):
        alone += [judged(problem, [f])[0] for f in half]
        together += judged(problem, [files[0], *half])[1:]
    cells = []
    for costs in (alone, together):
        check, time = (statistics.median(c[key] for c in costs) for key in ("check_s", "time_s"))
        cells.append((check, time, (check + time) / time))
    (check, time, _), (check_kept, time_kept, _) = cells
    more = (check + time) / (check_kept + time_kept)
    said = " | ".join(f"{c:.2f} | {t:.2f} | {r:.2f}" for c, t, r in cells)
    return f"| {problem.name} | {said} | {more:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--candidates", type=int, default=6)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = ["| problem | check_s | time_s | (check + time) / time | with the bank: check_s | time_s | (check + time) / time | verdicts an hour, times |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="ke-verdict-cost-") as folder:
        folder = Path(folder)
        problems = [(EXAMPLES / name, EXAMPLES / name / "reference.cpp") for name in ("softmax", "conv1d", "layernorm")]
        problems.append((slow_matmul(folder), Path(__file__).with_name("matmul_by_rows.cpp")))
        for problem, candidate in problems:
            lines.append(row(problem, candidate, options.candidates, folder))
            print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("# What a rank verdict costs\n\nWritten by `tests/bench/verdict_cost.py`: medians of "
                               f"{options.candidates} verdicts on one machine, in one run; the ratios are what counts.\n\n"
                               + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
