#!/usr/bin/env python3
"""Evidence travels in maps of texts: their own keys are named in runtime/core/evidence_keys.hpp and nowhere else.

A key written out beside one of these maps compiles whatever its spelling, and reads nothing. Prints one line per such key as file:line and
exits 1 if there is any.

    scripts/check_evidence.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_evidence.py --self-test  proves that the rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

KEY = re.compile(r'\b(?:provenance|counters|findings|facts)_?(?:\[|\.(?:find|at|count|contains|erase)\()\s*"([^"]*)"')
ROOMS = ("actors", "backends", "config", "interface", "knowledge", "runtime")


def check(root):
    for room in ROOMS:
        for file in sorted((root / room).rglob("*.[ch]pp")):
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                code = line.split("//")[0]
                for found in KEY.finditer(code):
                    yield f'{file.relative_to(root).as_posix()}:{number}: "{found.group(1)}" is spelt here; name it in runtime/core/evidence_keys.hpp'


def self_test():
    bad = {"backends/a.cpp": 'found.counters["run.cores"] = 1;', "actors/b.cpp": 'auto w = v.provenance.find("worker");'}
    good = {"backends/c.cpp": "found.counters[counter_keys::run_cores] = 1;", "runtime/d.hpp": '// findings["trace"] holds lines'}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in (bad | good).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        return {line.split(":")[0] for line in check(root)} == set(bad)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    found = [*check(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve())]
    print("\n".join(found) if found else "evidence: every key has a name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
