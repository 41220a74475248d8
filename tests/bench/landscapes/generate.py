#!/usr/bin/env python3
"""Makes landscapes for `ke-runtime bench search`: six kinds, each from a seed, so that a set to tune on and a set to report on can differ.

    generate.py [--seed 1] [--kinds smooth,rugged] [--out DIR]

    smooth      each gene rises to one best value, and few pairs matter a little
    deceptive   in four pairs of genes each one alone is drawn to a value that is wrong for the pair
    plateaus    most steps change nothing: terms come in few levels
    rugged      every gene is in several random pairs: many local optima
    sparse      smooth, but three builds of four fail
    noisy       smooth, measured with a noise of nearly half the deviation of random vectors

The target is set between what random vectors and what a long local search reach: at `TARGET[kind]` of the way from the mean random
vector to the best vector that a search of this script's own finds.
"""

import argparse
import json
import random
from pathlib import Path

GENES, VALUES = 12, 8
TARGET = {"smooth": 0.93, "deceptive": 0.97, "plateaus": 0.93, "rugged": 0.92, "sparse": 0.88, "noisy": 0.88}
KINDS = list(TARGET)


def hill(rng, sharp=1.0):
    best, weight = rng.randrange(VALUES), rng.uniform(0.5, 1.5)
    return [weight * (1 - (abs(v - best) / (VALUES - 1)) ** sharp) for v in range(VALUES)]


def table(rng, size):
    return [[rng.gauss(0, size) for _ in range(VALUES)] for _ in range(VALUES)]


def smooth(rng):
    pairs = [{"i": i, "j": j, "table": table(rng, 0.05)} for i, j in rng.sample(all_pairs(), 4)]
    return [hill(rng) for _ in range(GENES)], pairs


def all_pairs():
    return [(i, j) for i in range(GENES) for j in range(i + 1, GENES)]


def deceptive(rng):
    additive = [hill(rng) for _ in range(GENES)]
    genes = rng.sample(range(GENES), 8)
    pairs = []
    for i, j in zip(genes[::2], genes[1::2]):
        cells = [[0.0] * VALUES for _ in range(VALUES)]
        # The reward lies far from where each gene's own term leads, and a step of one gene alone loses.
        a = max(range(VALUES), key=lambda v, g=i: -additive[g][v])
        b = max(range(VALUES), key=lambda v, g=j: -additive[g][v])
        for v in range(VALUES):
            for w in range(VALUES):
                near = max(0.0, 1 - (abs(v - a) + abs(w - b)) / 4)
                cells[v][w] = 3.5 * near
        pairs.append({"i": i, "j": j, "table": cells})
    return additive, pairs


def plateaus(rng):
    def steps(levels):
        return [round(x * levels) / levels for x in hill(rng)]

    pairs = []
    for i, j in rng.sample(all_pairs(), 6):
        cells = [[0.5 if rng.random() < 0.15 else 0.0 for _ in range(VALUES)] for _ in range(VALUES)]
        pairs.append({"i": i, "j": j, "table": cells})
    return [steps(2) for _ in range(GENES)], pairs


def rugged(rng):
    pairs = [{"i": i, "j": j, "table": table(rng, 0.5)} for i, j in rng.sample(all_pairs(), 24)]
    return [[rng.gauss(0, 0.5) for _ in range(VALUES)] for _ in range(GENES)], pairs


MAKE = {"smooth": smooth, "deceptive": deceptive, "plateaus": plateaus, "rugged": rugged, "sparse": smooth, "noisy": smooth}


def worth(additive, pairs, x):
    return sum(additive[g][v] for g, v in enumerate(x)) + sum(p["table"][x[p["i"]]][x[p["j"]]] for p in pairs)


def best_found(rng, additive, pairs, starts=60):
    """The best of local searches over steps of one and two genes."""
    top = -1e9
    for _ in range(starts):
        x = [rng.randrange(VALUES) for _ in range(GENES)]
        now = worth(additive, pairs, x)
        moved = True
        while moved:
            moved = False
            for g in rng.sample(range(GENES), GENES):
                for v in range(VALUES):
                    old, x[g] = x[g], v
                    new = worth(additive, pairs, x)
                    if new > now + 1e-12:
                        now, moved = new, True
                    else:
                        x[g] = old
            if not moved:
                for p in pairs:
                    i, j = p["i"], p["j"]
                    old = x[i], x[j]
                    best = max(((v, w) for v in range(VALUES) for w in range(VALUES)), key=lambda s: step(additive, pairs, x, i, j, s))
                    new = step(additive, pairs, x, i, j, best)
                    x[i], x[j] = best if new > now + 1e-12 else old
                    if new > now + 1e-12:
                        now, moved = new, True
        top = max(top, now)
    return top


def step(additive, pairs, x, i, j, values):
    old = x[i], x[j]
    x[i], x[j] = values
    new = worth(additive, pairs, x)
    x[i], x[j] = old
    return new


def make(kind, seed):
    rng = random.Random(f"{kind}/{seed}")
    additive, pairs = MAKE[kind](rng)
    mean = sum(sum(a) / VALUES for a in additive) + sum(sum(map(sum, p["table"])) / VALUES**2 for p in pairs)
    spread = [worth(additive, pairs, [rng.randrange(VALUES) for _ in range(GENES)]) for _ in range(2000)]
    deviation = (sum((s - mean) ** 2 for s in spread) / len(spread)) ** 0.5
    best = best_found(rng, additive, pairs)
    return {
        "name": f"{kind}-{seed}",
        "genes": GENES,
        "values": VALUES,
        "additive": [[round(v, 4) for v in a] for a in additive],
        "pairwise": [{"i": p["i"], "j": p["j"], "table": [[round(v, 4) for v in row] for row in p["table"]]} for p in pairs],
        "success_probability": 0.25 if kind == "sparse" else 0.8,
        "noise": round(0.4 * deviation, 4) if kind == "noisy" else 0.0,
        "target": round(mean + TARGET[kind] * (best - mean), 4),
    }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", default=",".join(KINDS))
    options.add_argument("--out", default=str(Path(__file__).parent))
    options = options.parse_args()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for kind in options.kinds.split(","):
        if kind not in MAKE:
            raise SystemExit(f"generate.py: no kind {kind}; there are {', '.join(KINDS)}")
        (out / f"{kind}.json").write_text(json.dumps(make(kind, options.seed)) + "\n")


if __name__ == "__main__":
    main()
