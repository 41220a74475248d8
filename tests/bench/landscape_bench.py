#!/usr/bin/env python3
"""What the search is worth: median evaluations to the target for every policy and memory mode, and their ratios to best-of-n, greedy, the
fixed memory modes and the serial search.

    landscape_bench.py [--build DIR] [--landscapes DIR...] [--seeds 1..30] [--set KEY=VALUE] [--only policies|memory|async] [--jobs 2]

`--landscapes` are folders of *.json files; the kind is the name up to the first "-" (tests/bench/landscapes/generate.py makes more of them).
Of several landscapes of a kind, the geometric mean of their medians counts.

Prints one table per question and, for each goal, the ratio of the kind that is farthest from it with its 90% interval (bootstrap over the
seeds). A goal is missed if the interval of any kind lies beyond it, and unclear if only a ratio itself does: 30 seeds of one landscape do not
tell 1.1 from 1.5. Exit code 1 if a goal is missed.
"""

import argparse
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import exp, log
from pathlib import Path
from statistics import fmean, median

ROOT = Path(__file__).resolve().parents[2]
POLICIES = ["best-of-n", "greedy", "beam", "mcts", "evolution"]
MODES = ["parent", "siblings", "parent+siblings", "clean"]
DRAWS = 2000  # of the bootstrap


def middle(samples):
    """Of one kind: a list of evaluations for each landscape."""
    return exp(fmean(log(median(s)) for s in samples))


class ratio:
    """Of the medians of two searches on one kind, with its 90% interval."""

    def __init__(self, ours, theirs):
        source = random.Random(1)

        def again(samples):
            return [source.choices(s, k=len(s)) for s in samples]

        drawn = sorted(middle(again(ours)) / middle(again(theirs)) for _ in range(DRAWS))
        self.value = middle(ours) / middle(theirs)
        self.low, self.high = drawn[DRAWS // 20], drawn[-DRAWS // 20]

    def __str__(self):
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


class bench:
    def __init__(self, options):
        self.options = options
        self.program = Path(options.build) / "ke-runtime"
        self.kinds = {}
        for folder in options.landscapes:
            for file in sorted(Path(folder).glob("*.json")):
                self.kinds.setdefault(file.stem.split("-")[0], []).append(file)
        if not self.kinds:
            sys.exit(f"landscape_bench.py: no *.json in {', '.join(options.landscapes)}")
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
        if policy == "greedy":  # the climb that others are held against: it begins anew nowhere
            argv += ["--set", "restart=0"]
        for s in self.options.set:
            argv += ["--set", s]
        done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"landscape_bench.py: {' '.join(map(str, argv))} ended with exit code {done.returncode}")
        return json.loads(done.stdout)

    def start_all(self, *search, **more):
        for files in self.kinds.values():
            for file in files:
                self.start(file, *search, **more)

    def of(self, kind, *search, **more):
        """The evaluations to the target on each landscape of a kind."""
        return [self.start(file, *search, **more).result()["evaluations_to_target"] for file in self.kinds[kind]]

    def goal(self, text, met):
        self.missed += not met
        print(f"  {'met' if met else 'MISSED':7} {text}")

    def ratios_goal(self, text, ratios, most):
        if not ratios:
            return
        worst = max(ratios, key=lambda r: r.value)
        above, clearly = sum(r.value > most for r in ratios), sum(r.low > most for r in ratios)
        self.missed += clearly > 0
        verdict = "MISSED" if clearly else "unclear" if above else "met"
        print(f"  {verdict:7} {text}: worst {worst}" + (f"; {above} of {len(ratios)} above, {clearly} clearly" if above else ""))

    def policies(self):
        for p in POLICIES:
            self.start_all(p)
        print(f"{'policies, memory adaptive, serial':36}" + "".join(f"{p:>12}" for p in POLICIES) + "".join(f"{p:>28}" for p in ["mcts of greedy", "evolution of greedy"]))
        of_greedy = {"mcts": {}, "evolution": {}}
        for k in self.kinds:
            for p, known in of_greedy.items():
                known[k] = ratio(self.of(k, p), self.of(k, "greedy"))
            print(f"{k:36}" + "".join(f"{middle(self.of(k, p)):12.0f}" for p in POLICIES) + "".join(f"{str(r[k]):>28}" for r in of_greedy.values()), flush=True)
        for p, known in of_greedy.items():
            of_random = [ratio(self.of(k, p), self.of(k, "best-of-n")) for k in self.kinds]
            half = sum(r.value <= 0.5 for r in of_random)
            self.goal(f"{p}: at most half of best-of-n on two thirds of the kinds ({half} of {len(of_random)})", 3 * half >= 2 * len(of_random))
            self.ratios_goal(f"{p}: at most 1.1 of best-of-n", of_random, 1.1)
            self.ratios_goal(f"{p}: at most 1.1 of greedy", list(known.values()), 1.1)
            self.ratios_goal(f"{p}: at most 0.8 of greedy on deceptive and rugged", [r for k, r in known.items() if k in ("deceptive", "rugged")], 0.8)

    def memory(self):
        for p in ["mcts", "evolution"]:
            for m in [*MODES, "adaptive"]:
                self.start_all(p, m)
            print(f"{'memory, ' + p + ', serial':36}" + "".join(f"{m:>16}" for m in [*MODES, "adaptive"]) + f"{'of the best':>28}")
            of_best, of_worst = [], []
            for k in self.kinds:
                ours, fixed = self.of(k, p, "adaptive"), [self.of(k, p, m) for m in MODES]
                of_best.append(ratio(ours, min(fixed, key=middle)))
                of_worst.append(ratio(ours, max(fixed, key=middle)))
                print(f"{k:36}" + "".join(f"{middle(s):16.0f}" for s in [*fixed, ours]) + f"{str(of_best[-1]):>28}", flush=True)
            self.ratios_goal(f"{p}: adaptive within 10% of the best fixed mode", of_best, 1.1)
            self.ratios_goal(f"{p}: adaptive never worse than the worst fixed mode", of_worst, 1)

    def asynchronous(self):
        for p in ["mcts", "evolution"]:
            print(f"{'in flight, ' + p:36}{'1':>10}{'8':>10}{'64':>10}{'64 of 1':>28}{'progress':>10}{'ramp 64':>10}{'of 1':>28}")
            for n in (1, 8, 64):
                self.start_all(p, in_flight=n)
            self.start_all(p, in_flight=64, ramp=64)
            many_of_one, slow_of_one, least = [], [], 1
            for k, files in self.kinds.items():
                one, eight, many = (self.of(k, p, in_flight=n) for n in (1, 8, 64))
                slow = self.of(k, p, in_flight=64, ramp=64)
                stopped = [self.start(f, p, in_flight=64, evaluations=max(1, round(median(s)))) for f, s in zip(files, one)]
                progress = fmean(s.result()["median_progress"] for s in stopped)
                least = min(least, progress)
                many_of_one.append(ratio(many, one))
                slow_of_one.append(ratio(slow, one))
                print(f"{k:36}{middle(one):10.0f}{middle(eight):10.0f}{middle(many):10.0f}{str(many_of_one[-1]):>28}{progress:10.3f}"
                      f"{middle(slow):10.0f}{str(slow_of_one[-1]):>28}", flush=True)  # fmt: skip
            self.ratios_goal(f"{p}: 64 in flight need at most 10% more evaluations", many_of_one, 1.1)
            self.ratios_goal(f"{p}: with ramp = 64 they do", slow_of_one, 1.1)
            self.goal(f"{p}: after as many evaluations, 64 in flight have come 90% of the way (least {least:.3f})", least >= 0.9)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=str(ROOT / "build/release"))
    options.add_argument("--landscapes", nargs="+", default=[str(ROOT / "tests/bench/landscapes")])
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
