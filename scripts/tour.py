#!/usr/bin/env python3
"""Counts what a newcomer reads on the README's tour of the code.

The tour is the numbered list below "Reading the code" in README.md: at most five files, each the first path in backticks of its line.
A reader opens each file and the headers of ours that it includes itself. Their lines are counted once, whatever includes them.

    scripts/tour.py [--most N]     prints the files with their lines; exits 1 if there are more than N lines (or more than five files)
    scripts/tour.py --self-test    proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

MOST_FILES = 5
HEADING = "## Reading the code"
STOP = re.compile(r"^\d+\. [^`]*`([^`]+)`", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def stops(readme):
    """The files of the tour, in order."""
    if HEADING not in readme:
        return []
    return STOP.findall(readme.split(HEADING, 1)[1].split("\n## ", 1)[0])


def lines_of(root, files):
    """{path: lines} of the files, and of the headers that they include themselves."""
    read = {}
    for file in files:
        for path in [file, *INCLUDE.findall((root / file).read_text())]:
            if (root / path).is_file():
                read[path] = len((root / path).read_text().splitlines())
    return read


def check(root, most):
    """(lines of what is read, complaints)"""
    files = stops((root / "README.md").read_text())
    missing = [f"README.md: the tour shows {file}, which does not exist" for file in files if not (root / file).is_file()]
    if missing or not files:
        return {}, missing or [f"README.md: no numbered files below \"{HEADING}\""]
    read, found = lines_of(root, files), []
    if len(files) > MOST_FILES:
        found.append(f"README.md: the tour has {len(files)} files; at most {MOST_FILES} are read")
    if most is not None and sum(read.values()) > most:
        found.append(f"README.md: the tour has {sum(read.values())} lines; at most {most} are read")
    return read, found


def self_test():
    def told(readme, most):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "README.md").write_text(readme)
            (root / "a.cpp").write_text('#include "a.hpp"\n#include <vector>\nint a;\n')
            (root / "a.hpp").write_text("int a;\nint b;\n")
            (root / "b.cpp").write_text('#include "a.hpp"\n')
            read, found = check(root, most)
            return sum(read.values()), len(found)

    tour = f"# x\n1. `none.cpp`\n\n{HEADING}\n\n1. `a.cpp`: the `a`\n2. `b.cpp`\n\n## Next\n1. `none.cpp`\n"
    cases = [
        (tour, 6, (6, 0)),  # 3 of a.cpp, 2 of a.hpp once, 1 of b.cpp
        (tour, 5, (6, 1)),
        (tour, None, (6, 0)),
        (f"{HEADING}\n1. `none.cpp`\n", 9, (0, 1)),
        ("# nothing\n", 9, (0, 1)),
        (HEADING + "\n" + "1. `b.cpp`\n" * 6, 9, (3, 1)),
    ]
    wrong = [(case, told(*case[:2])) for case in cases if told(*case[:2]) != case[2]]
    for case, got in wrong:
        print(f"self-test: {case} gave {got}")
    return not wrong


def main():
    words = sys.argv[1:]
    if words == ["--self-test"]:
        return 0 if self_test() else 1
    if words and (len(words) != 2 or words[0] != "--most" or not words[1].isdigit()):
        print("usage: scripts/tour.py [--most N] | --self-test", file=sys.stderr)
        return 2
    read, found = check(Path(__file__).resolve().parent.parent, int(words[1]) if words else None)
    for path, lines in read.items():
        print(f"{lines:6} {path}")
    print("\n".join(found) if found else f"tour: {sum(read.values())} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
