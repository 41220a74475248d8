#!/usr/bin/env python3
"""Compiles refused_messages.cpp: the compiler must refuse the lines that say so, and those alone.

    refused_messages_test.py COMPILER FLAGS...
"""

import os
import re
import subprocess
import sys
from pathlib import Path

source = Path(__file__).with_name("refused_messages.cpp")
expected = {}
for number, line in enumerate(source.read_text().splitlines(), 1):
    if found := re.search(r"// refused: (.*)", line):
        expected[number] = found.group(1).split(" | ")

told = subprocess.run(
    [*sys.argv[1:], "-fsyntax-only", "-w", str(source)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
).stderr
# Without the lines of the source, which would say what is looked for.
said = [line for line in told.splitlines() if not re.match(r"\s*\d* \|", line)]
here = re.escape(source.name) + r":(\d+):\d+: "
blamed = {
    int(found.group(1))
    for line in said
    if (found := re.search(here + r"(error: |\s*required from here|note: in instantiation of)", line))
}
complaints = [f"line {line} is refused" for line in blamed - expected.keys()]
complaints += [f"line {line} is taken" for line in expected.keys() - blamed]
for line, texts in expected.items():
    for text in texts:
        # clang leaves `ke::` out where the source does.
        if not any(text.replace("ke::", "") in s.replace("ke::", "") for s in said):
            complaints.append(f'line {line}: nothing says "{text}"')
errors = sum(" error: " in line for line in said)
if errors != len(expected):
    complaints.append(f"{errors} errors, not {len(expected)}")
if complaints:
    print(told)
    print("\n".join(complaints))
sys.exit(1 if complaints else 0)
