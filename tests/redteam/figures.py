#!/usr/bin/env python3
"""What the judge says of kernels whose true ratio is known: the reference itself, the work done twice, clocks that lie.

  figures.py [--runs N] [--plan rank|eval] [--load K] [--only-aa]

A/A: the reference against itself; `faster` in at most 5% of N runs (of few runs: no more than chance gives a judge that is within that bar by
half, once in a hundred), and `slower` is counted, too. Twice: 0.47 to 0.53, also in Python where
PyTorch is. Three attacks on the clock that do the work three times: what an honest kernel that does it three times reads, within 6%. --load
runs K endless loops beside it. Exit code 1 if a bar is missed.
"""

import argparse
import math
import statistics
import subprocess
import sys

import redteam


def verdicts(team, name, runs, plan):
    """Decisions of all runs, and the ratios of those that decided: a noisy run claims none."""
    entry = redteam.corpus([name])[0]
    entry.timed, entry.plan = True, plan
    states, ratios, widths = {}, [], []
    for _ in range(runs):
        verdict, _, _ = team.evaluate(entry)
        what = verdict["decision"] or verdict["state"]
        states[what] = states.get(what, 0) + 1
        if verdict["state"] == "correct":
            ratios.append(verdict["timing"]["speedup"])
            widths.append(verdict["timing"]["aa_width"])
    return states, ratios, widths


def chance_of(least, runs, rate):
    """That so many of `runs` or more fall to a judge that errs at this rate."""
    return sum(math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(least, runs + 1))


def line(name, states, ratios, widths):
    text = ", ".join(f"{count} {what}" for what, count in sorted(states.items()))
    if ratios:
        text += (f"; ratio median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}; "
                 f"A/A width median {statistics.median(widths):.3f}")
    print(f"{name:22} {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--plan", default="rank", choices=["rank", "eval"])
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--only-aa", action="store_true")
    options = parser.parse_args()
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    team = redteam.Team()
    missed = []
    try:
        print(f"plan {options.plan}, {options.load} busy loops beside it")
        states, ratios, widths = verdicts(team, "ok_copy", options.runs, options.plan)
        line(f"A/A, {options.runs} runs", states, ratios, widths)
        faster = states.get("faster", 0)
        if faster > 0.05 * options.runs and chance_of(faster, options.runs, 0.025) < 0.01:
            missed.append(f"A/A: faster in {faster} of {options.runs} runs")
        attacks = ["a_got_patch", "a_vdso_patch_at_load", "a_export_clock"]
        low, high = 0.47, 0.53
        python = ["py_ok_twice"] if redteam.has_torch(redteam.doctor()) else []
        for name in [] if options.only_aa else ["ok_twice", *python, "ok_thrice", *attacks]:
            few = max(3, options.runs // 20)
            states, ratios, widths = verdicts(team, name, few, options.plan)
            line(f"{name}, {few} runs", states, ratios, widths)
            if name == "ok_thrice":  # a branch of sin is guessed better once its value was seen: the ratio is not 1/3
                true = statistics.median(ratios) if ratios else 0
                low, high = 0.94 * true, 1.06 * true
            if not ratios and "cheating_suspected" not in states:
                missed.append(f"{name}: no run decided anything; ask again on a quieter machine")
            if ratios and not low <= statistics.median(ratios) <= high:
                missed.append(f"{name}: median ratio {statistics.median(ratios):.3f}, not {low:.3f} to {high:.3f}")
            if states.get("faster", 0):
                missed.append(f"{name}: called faster")
        for bar in missed:
            print(f"MISSED {bar}")
        return 1 if missed else 0
    finally:
        for loop in load:
            loop.kill()
            loop.wait()
        team.close()


if __name__ == "__main__":
    sys.exit(main())
