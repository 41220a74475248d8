#!/usr/bin/env python3
"""Checks that the product asks a driver of the judge for its traits or its functions, and does not ask which driver it is.

Each driver is one line of the table in backends/evidence/driver_traits.hpp and a pair of files, backends/judge/drivers/KIND_driver.{hpp,cpp}.
Only the table, those files and backends/judge/driver_seam.cpp, which finds a driver by its name, may compare a driver's name or address:
elsewhere a comparison is a branch that the next driver would have to find, and in trusted code one that nobody tests. A warm parent is no
name, but the judge may not ask for it either. Prints one line per violation as file:line and exits 1 if there is any.

    scripts/check_drivers.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_drivers.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

ROOMS = ["actors", "backends", "config", "interface", "knowledge", "runtime"]
TABLE = "backends/evidence/driver_traits.hpp"
OWN = re.compile(r"backends/evidence/driver_traits\.hpp|backends/judge/driver_seam\.cpp|backends/judge/drivers/\w+\.(hpp|cpp)")
KIND = r"(?:\bdriver|\bdriver_kind|\bdriver_name|\bdriver\s*(?:\.|->)\s*name|\bseam(?:_|\(\))?\s*(?:\.|->)\s*name)"
COMPARISONS = [
    (re.compile(rf"{KIND}\s*[!=]=\s*\"(?!\")"), "compares a driver's name"),
    (re.compile(rf"\"\s*[!=]=\s*[\w.>()-]*{KIND}\b(?!\s*(?:\.|->|\())"), "compares a driver's name"),
    (re.compile(rf"{KIND}\s*\.\s*(?:compare|starts_with|ends_with|find|contains)\b"), "looks into a driver's name"),
    (re.compile(r"[!=]=\s*&\s*\w+_driver\b|&\s*\w+_driver\s*[!=]="), "compares with a driver"),
]
IN_JUDGE = (re.compile(r"\bwarm_parent\s*(?:[!=<>]=?)"), "asks for a warm parent")


def stripped(text):
    """Without comments; keeps line numbers and strings, but for the insides of raw ones."""
    blank = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', lambda m: m.group(0) if m.group(0)[0] == '"' else blank(m), text, flags=re.S)


def comparisons(path, text):
    text = stripped(text)
    rules = COMPARISONS + ([IN_JUDGE] if path.startswith("backends/judge/") else [])
    found = {(text.count("\n", 0, m.start()) + 1, what) for pattern, what in rules for m in pattern.finditer(text) if not assigns(m.group(0))}
    for line, what in sorted(found):
        yield f"{path}:{line}: {what}: ask traits_of_driver or the judge's driver_seam, and add what they lack"


def assigns(text):
    """`warm_parent = 3` sets it."""
    return re.fullmatch(r"warm_parent\s*=", text) is not None


def check(root):
    found = []
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in {".hpp", ".cpp"} and file.is_file() and not OWN.fullmatch(path) and not path.startswith("config/problems/"):
                found += comparisons(path, file.read_text(errors="replace"))
    kinds = re.findall(r"^ +X\((\w+),", (root / TABLE).read_text(), re.M)
    if not kinds:
        found.append(f"{TABLE}:1: has no table of drivers")
    for kind in kinds:
        for suffix in ("hpp", "cpp"):
            if not (root / f"backends/judge/drivers/{kind}_driver.{suffix}").is_file():
                found.append(f"{TABLE}:1: {kind} has no backends/judge/drivers/{kind}_driver.{suffix}")
    return found


def self_test():
    bad = {
        "actors/a.cpp": 'if (with.driver == "tin") {}',
        "backends/evaluation/b.cpp": 'bool tin = "tin" == with.driver;',
        "backends/judge/c.cpp": 'return task_.driver_kind !=\n    "tin";',
        "backends/judge/d.cpp": "if (&driver == &tin_driver) {}",
        "backends/judge/e.hpp": "bool forks = how.warm_parent >= 0;",
        "backends/profile/f.cpp": 'if (task.driver_kind.starts_with("ti")) {}',
        "backends/judge/g.cpp": 'if (seam_.name == "tin") {}',
        TABLE: '#define KE_DRIVERS(X) \\\n  X(tin, "tin", .builds = false) \\\n  X(lead, "lead")\n',  # lead has no files
    }
    good = {
        "backends/judge/drivers/tin_driver.cpp": 'if (task.driver_kind == "tin") {}',
        "backends/judge/drivers/tin_driver.hpp": "",
        "backends/judge/h.cpp": 'task.driver_kind = "tin"; // == "tin"\nhow.warm_parent = 3;\nif (driver.empty() || driver == other) {}\n',
        "backends/evaluation/i.cpp": 'const auto* driver = traits_of_driver(with.driver);\nif (driver && driver->builds) {}\nauto s = "driver == tin";\n'
        'if (language == "tin") {}\n',
        "tests/j.cpp": 'CHECK(b.driver == "tin");',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in (bad | good).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        blamed = {line.split(":")[0] for line in check(root)}
    for path in bad.keys() - blamed:
        print(f"self-test: {path} was not blamed")
    for path in blamed - bad.keys():
        print(f"self-test: {path} was blamed wrongly")
    return blamed == set(bad)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = check(root)
    print("\n".join(found) if found else "drivers: every difference between drivers is in their table or their files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
