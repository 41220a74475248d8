#!/usr/bin/env python3
"""What skills are worth to a later campaign: evaluations to the target on an unseen problem of the family, with and without a first one's.

    skill_bench.py [--build DIR] [--seeds 1..5] [--candidates 12] [--target 15] [--goal 0.6] [--no-skills] [--keep DIR]

Real campaigns on cpu-cpp, really judged and timed. The model (patch_model.py) knows no trick: it applies what stands in its prompt as a diff, and
else tries one of six moves blind, two of which help. The model of the first campaign knows the two; what it has learnt lies in its store. Each seed
then runs the second problem twice, in a copy of that store and in an empty one, without warm starts; all else is the same. A campaign that
misses its target counts as one evaluation more than it was given. How large the ratio is follows from the luck; that there is one does not.
`--no-skills` gives both an empty store: then both draw alike as far as noise lets them choose the same parents, and the exit code should be 1.

Exit code: 0 with skills the median is at most `--goal` of that without; 1 not so, or the first campaign has left no skills; 2 a campaign could not run.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from tricks import write_problem

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

CAMPAIGN = """\
[campaign]
name = "{name}"
store = "{store}"
seed = {seed}
[problem]
path = "{problem}/problem.toml"
[goal]
target_speedup = {target}
[budget]
candidates = {candidates}
[[target]]
backend = "cpu-cpp"
[search]
policy = "greedy"
drafts = 1
parallel = 1
warm_start = 0
[[model]]
name = "patches"
provider = "command"
command = ["{python}", "-B", "{model}"{teacher}, "{seed}"]
"""


class bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = Path(options.build).resolve() / "ke-runtime"

    def call(self, *argv, codes=(0,)):
        done = subprocess.run([str(self.program), *map(str, argv)], capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            print(f"ke-runtime {' '.join(map(str, argv))}: exit code {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
            sys.exit(2)
        return done.stdout

    def run(self, name, problem, store, seed, teacher=""):
        """Evaluations to the target (None: not reached), the verdicts, and in how many prompts a skill was shown."""
        config = self.folder / f"{name}.toml"
        config.write_text(CAMPAIGN.format(name=name, store=store, seed=seed, problem=self.folder / problem, target=self.options.target,
                                          candidates=self.options.candidates, python=sys.executable, model=HERE / "patch_model.py", teacher=teacher))  # fmt: skip
        self.call("--config", config, "--ui", "json", codes=(0, 1))
        nodes = json.loads(self.call("tree", "--config", config, "--campaign", name, "--json"))["nodes"]
        judged = [n for n in nodes if n["id"] > 0 and not n["duplicate_of"]]
        reached = next((i for i, n in enumerate(judged, 1) if (n["score"] or 0) >= self.options.target), None)
        shown = [self.shown(config, name, n["id"]) for n in judged]
        print(f"  {name}: {reached or f'not within {len(judged)}'}; scores {[round(n['score'] or 0, 1) for n in judged]}; "
              f"prompts with a skill {sum(shown)} of {len(shown)}", flush=True)  # fmt: skip
        return reached, shown

    def shown(self, config, name, node):
        records = json.loads(self.call("show", node, "--config", config, "--campaign", name, "--json"))["retrieval"]
        return any(d["fate"] == "shown" and d["id"].startswith("skill/") for r in records for d in r.get("candidates", r.get("documents", [])))

    def first(self):
        for seed in range(1, 4):  # noise may hide that a step has gained
            store = self.folder / f"first-{seed}"
            reached, _ = self.run(f"first-{seed}", "pair_energy", store, seed, ', "--teacher"')
            skills = json.loads(self.call("knowledge", "skills", "--store", store, "--json")) if reached else []
            if len(skills) >= 2:
                print(f"  it has left {len(skills)} skills", flush=True)
                return store
        print("no first campaign has reached its target and left a skill of each of its two steps")
        sys.exit(1)

    def second(self, name, seed, learnt):
        store = self.folder / f"store-{name}"
        if learnt:
            shutil.copytree(learnt, store, ignore=shutil.ignore_patterns("*.sock*"))
        reached, shown = self.run(name, "pair_distance", store, seed)
        return reached or self.options.candidates + 1, shown


def seeds_of(text):
    low, _, high = text.partition("..")
    return range(int(low), int(high or low) + 1)


def told(name, counts, most):
    return f"{name}: median {median(counts):g} evaluations to the target, {sorted(counts)}" + (
        f" ({most + 1}: not reached)" if most + 1 in counts else "")


def compare(b, options):
    learnt = None if options.no_skills else b.first()
    counts, shown = {"with": [], "without": []}, []
    for seed in seeds_of(options.seeds):
        for arm, store in (("with", learnt), ("without", None)):
            reached, prompts = b.second(f"{arm}-{seed}", seed, store)
            counts[arm].append(reached)
            if arm == "with":
                shown += prompts
    for arm, all_of in counts.items():
        print(told(f"{arm} skills", all_of, options.candidates))
    ratio = median(counts["with"]) / median(counts["without"])
    print(f"ratio {ratio:.2f}; {sum(shown)} of {len(shown)} prompts with skills at hand showed one")
    if ratio > options.goal:
        print(f"skills make no difference: the goal is {options.goal:g} at most")
    return 0 if ratio <= options.goal else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release")
    parser.add_argument("--seeds", default="1..5")
    parser.add_argument("--candidates", type=int, default=12)
    parser.add_argument("--target", type=float, default=15)
    parser.add_argument("--goal", type=float, default=0.6)
    parser.add_argument("--no-skills", action="store_true")
    parser.add_argument("--keep", help="a folder that is not there yet: stores stay in it")
    options = parser.parse_args()
    folder = Path(options.keep or tempfile.mkdtemp(prefix="ke-skills-")).resolve()
    folder.mkdir(exist_ok=True)
    try:
        for problem in ("pair_energy", "pair_distance"):
            write_problem(folder / problem, problem)
        return compare(bench(options, folder), options)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
