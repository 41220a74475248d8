#!/usr/bin/env python3
"""What the search is worth: median evaluations to the target, per landscape, for every policy and memory mode, and their ratios to
best-of-n, greedy, the fixed memory modes and the serial search.

    landscape_bench.py [--build DIR] [--landscapes DIR] [--seeds 1..30] [--set KEY=VALUE] [--only policies|memory|async] [--jobs 2]

Prints one table per question, with the goal beside each ratio. Exit code 1 if a goal is missed. `--landscapes` is a folder of *.json files;
the kind is the name up to the first "-" (tests/bench/landscapes/generate.py makes more of them).
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POLICIES = ["best-of-n", "greedy", "beam", "mcts", "evolution"]
MODES = ["parent", "siblings", "parent+siblings", "clean"]


class bench:
    def __init__(self, options):
        self.options = options
        self.program = Path(options.build) / "ke-runtime"
        self.files = sorted(Path(options.landscapes).glob("*.json"))
        if not self.files:
            sys.exit(f"landscape_bench.py: no *.json in {options.landscapes}")
        self.pool = ThreadPoolExecutor(options.jobs)
        self.known = {}
        self.missed = 0

    def start(self, file, policy, memory="adaptive", in_flight=1, evaluations=20000, ramp=0):
        key = (file, policy, memory, in_flight, evaluations, ramp)
        if key not in self.known:
            self.known[key] = self.pool.submit(self.run, *key)
        return self.known[key]

    def run(self, file, policy, memory, in_flight, evaluations, ramp):
        argv = [self.program, "bench", "search", "--landscape", file, "--policy", policy, "--memory", memory,
                "--seeds", self.options.seeds, "--in-flight", in_flight, "--evaluations", evaluations, "--set", f"ramp={ramp}", "--json"]  # fmt: skip
        for s in self.options.set:
            argv += ["--set", s]
        done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"landscape_bench.py: {' '.join(map(str, argv))} ended with exit code {done.returncode}")
        return json.loads(done.stdout)

    def median(self, *key):
        return self.start(*key).result()["median_evaluations_to_target"]

    def goal(self, text, met):
        self.missed += not met
        print(f"  {'met   ' if met else 'MISSED'} {text}")

    def policies(self):
        for f in self.files:
            for p in POLICIES:
                self.start(f, p)
        print(f"{'policies, memory adaptive, serial':36}" + "".join(f"{p:>12}" for p in POLICIES))
        for f in self.files:
            print(f"{f.stem:36}" + "".join(f"{self.median(f, p):12.0f}" for p in POLICIES), flush=True)
        for p in ["mcts", "evolution"]:
            of_random = {f.stem: self.median(f, p) / self.median(f, "best-of-n") for f in self.files}
            of_greedy = {f.stem: self.median(f, p) / self.median(f, "greedy") for f in self.files}
            half = sum(x <= 0.5 for x in of_random.values())
            print(f"{p}: " + ", ".join(f"{f} {of_random[f]:.2f} / {of_greedy[f]:.2f}" for f in of_random))
            self.goal(f"{p}: at most half of best-of-n on two thirds of the landscapes ({half} of {len(of_random)})", 3 * half >= 2 * len(of_random))
            self.goal(f"{p}: at most 1.1 of best-of-n (worst {max(of_random.values()):.2f})", max(of_random.values()) <= 1.1)
            self.goal(f"{p}: at most 1.1 of greedy (worst {max(of_greedy.values()):.2f})", max(of_greedy.values()) <= 1.1)
            hard = [x for f, x in of_greedy.items() if f.split("-")[0] in ("deceptive", "rugged")]
            if hard:
                self.goal(f"{p}: at most 0.8 of greedy on deceptive and rugged (worst {max(hard):.2f})", max(hard) <= 0.8)

    def memory(self):
        for p in ["mcts", "evolution"]:
            for f in self.files:
                for m in [*MODES, "adaptive"]:
                    self.start(f, p, m)
            print(f"{'memory, ' + p + ', serial':36}" + "".join(f"{m:>16}" for m in [*MODES, "adaptive"]) + "   of best")
            worst_of_best, worse = 0, 0
            for f in self.files:
                row = [self.median(f, p, m) for m in [*MODES, "adaptive"]]
                ratio = row[-1] / min(row[:-1])
                worst_of_best = max(worst_of_best, ratio)
                worse += row[-1] > max(row[:-1])
                print(f"{f.stem:36}" + "".join(f"{x:16.0f}" for x in row) + f"{ratio:10.2f}", flush=True)
            self.goal(f"{p}: adaptive within 10% of the best fixed mode (worst {worst_of_best:.2f})", worst_of_best <= 1.1)
            self.goal(f"{p}: adaptive never worse than the worst fixed mode ({worse} times)", worse == 0)

    def asynchronous(self):
        heads = ["1", "8", "64", "64 of 1", "progress", "ramp 64", "of 1"]
        for p in ["mcts", "evolution"]:
            print(f"{'in flight, ' + p:36}" + "".join(f"{h:>10}" for h in heads))
            worst, least, worst_ramp = 0, 1, 0
            for f in self.files:
                for n in (1, 8, 64):
                    self.start(f, p, "adaptive", n)
                self.start(f, p, "adaptive", 64, ramp=64)
            at = {f: max(1, round(self.median(f, p))) for f in self.files}
            for f in self.files:
                self.start(f, p, "adaptive", 64, at[f])
            for f in self.files:
                one, eight, many = (self.median(f, p, "adaptive", n) for n in (1, 8, 64))
                progress = self.start(f, p, "adaptive", 64, at[f]).result()["median_progress"]
                slow = self.start(f, p, "adaptive", 64, ramp=64).result()["median_evaluations_to_target"]
                worst, least, worst_ramp = max(worst, many / one), min(least, progress), max(worst_ramp, slow / one)
                print(f"{f.stem:36}{one:10.0f}{eight:10.0f}{many:10.0f}{many / one:10.2f}{progress:10.3f}{slow:10.0f}{slow / one:10.2f}", flush=True)
            self.goal(f"{p}: 64 in flight need at most 10% more evaluations (worst {worst:.2f})", worst <= 1.1)
            self.goal(f"{p}: with ramp = 64 they do (worst {worst_ramp:.2f})", worst_ramp <= 1.1)
            self.goal(f"{p}: after as many evaluations, 64 in flight have come 90% of the way (least {least:.3f})", least >= 0.9)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=str(ROOT / "build/release"))
    options.add_argument("--landscapes", default=str(ROOT / "tests/bench/landscapes"))
    options.add_argument("--seeds", default="1..30")
    options.add_argument("--set", action="append", default=[])
    options.add_argument("--only", choices=["policies", "memory", "async"])
    options.add_argument("--jobs", type=int, default=2)
    options = options.parse_args()
    b = bench(options)
    for name, part in (("policies", b.policies), ("memory", b.memory), ("async", b.asynchronous)):
        if options.only in (None, name):
            part()
    sys.exit(1 if b.missed else 0)


if __name__ == "__main__":
    main()
