#!/usr/bin/env python3
"""A model that knows no trick: patch_model.py [--teacher] SEED < prompt > answer

It looks for diffs in its prompt, takes the first whose changed lines fit the parent (for a draft: the reference), and applies that. If none
fits, it tries one of six moves blind, drawn by its seed and the node's. Two of them help (tricks.py), the others change nothing that matters. It
keeps nothing between prompts, so what it does better it has read. `--teacher`: it knows the two, and takes one after the other.
"""

import hashlib
import re
import sys

from tricks import TRICKS

PLAIN_MOVES = 4  # beside the tricks


def base_of(prompt):
    """The parent's source; of a draft the reference."""
    for title in ("Parent (", "Reference"):
        if found := re.search(rf"^## {re.escape(title)}.*?^```cpp\n(.*?)^```$", prompt, re.M | re.S):
            return found.group(1).splitlines()
    sys.exit("patch_model.py: the prompt shows no source")


def hunks_of(prompt):
    """Lists of (kind, line) of all diffs of a prompt, in its order."""
    for diff in re.findall(r"^```diff\n(.*?)^```$", prompt, re.M | re.S):
        hunk = []
        for line in diff.splitlines():
            if line.startswith(("---", "+++", "@@", "[")):
                if hunk:
                    yield hunk
                hunk = []
            else:
                hunk.append((line[:1] or " ", line[1:]))
        if hunk:
            yield hunk


def runs_of(hunk):
    """Each run of changed lines of a hunk, with at most one line before it."""
    at = 0
    while at < len(hunk):
        end = at
        while end < len(hunk) and hunk[end][0] != " ":
            end += 1
        if end > at:
            yield hunk[max(at - 1, 0) : end]
        at = end + 1


def find(lines, wanted):
    places = [i for i in range(len(lines) - len(wanted) + 1) if lines[i : i + len(wanted)] == wanted] if wanted else []
    return places[0] if len(places) == 1 else None


def patched(base, run):
    """None: the run does not fit, or is there already."""
    old = [line for kind, line in run if kind != "+"]
    new = [line for kind, line in run if kind != "-"]
    if any(kind == "-" for kind, _ in run) and run[0][0] == " " and find(base, old) is None:
        old, new = old[1:], new[1:]  # another line before it
    at = find(base, old)
    if at is None or find(base, new) is not None:
        return None
    return base[:at] + new + base[at + len(old) :]


def plain(base, number):
    return base + [f"int nothing_{number}() {{ return {number}; }}"]  # in the object: equal objects are measured once


def draw(prompt, seed):
    """A number that no measurement has a part in, so that two campaigns draw alike; another one if the node is asked again."""
    task = re.search(r'"seed":(\d+),"diagnosis"', prompt).group(1)
    again = prompt[prompt.rfind("\n## ") :] if "\n## Your last answer" in prompt else ""
    return int(hashlib.sha256(f"{seed} {task} {again}".encode()).hexdigest()[:12], 16)


def answer(prompt, seed, teacher):
    base = base_of(prompt)
    if teacher:
        for trick in TRICKS:
            if (made := patched(base, trick["change"])) is not None:
                return trick["plan"], made
    for hunk in hunks_of(prompt):
        for run in runs_of(hunk):
            if (made := patched(base, run)) is not None:
                return "Apply a change that the prompt shows.", made
    drawn = draw(prompt, seed)
    move = drawn % (len(TRICKS) + PLAIN_MOVES)
    if move < len(TRICKS) and (made := patched(base, TRICKS[move]["change"])) is not None:
        return TRICKS[move]["plan"], made
    return "Another way to write the same.", plain(base, drawn % 1000003)


def main():
    plan, source = answer(sys.stdin.read(), sys.argv[-1], "--teacher" in sys.argv)
    print(plan + "\n\n```cpp\n" + "\n".join(source) + "\n```")


if __name__ == "__main__":
    main()
