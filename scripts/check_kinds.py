#!/usr/bin/env python3
"""Checks that the product asks a kind of provider for its traits, and does not ask which kind it is.

Each kind is one line of the table in runtime/core/provider_kind.hpp and a pair of files, runtime/llm/KIND_provider.{hpp,cpp}. Only
those files may compare with a provider_kind: elsewhere a comparison is a place that the next kind would have to find. Two kinds that
are both variables may be compared. Prints one line per violation as file:line and exits 1 if there is any.

    scripts/check_kinds.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_kinds.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

ROOMS = ["actors", "backends", "config", "interface", "knowledge", "runtime", "scripts"]
TABLE = "runtime/core/provider_kind.hpp"
OWN = re.compile(r"runtime/core/provider_kind\.hpp|runtime/llm/\w+_provider\.(hpp|cpp)")
KIND = r"(?:ke\s*::\s*)?provider_kind\s*::\s*\w+"
COMPARISONS = [
    (re.compile(rf"[!=]=\s*\(?\s*{KIND}"), "compares with a kind"),
    (re.compile(rf"{KIND}\s*\)?\s*[!=]="), "compares with a kind"),
    (re.compile(rf"\bcase\s+{KIND}"), "branches on a kind"),
    (re.compile(r"\busing\s+enum\s+(?:ke\s*::\s*)?provider_kind\b"), "hides comparisons with kinds"),
    (re.compile(r"\bto_text\([\w.>()-]*\bprovider\)\s*[!=]="), "compares the name of a kind"),
]


def stripped(text):
    """Without comments and the insides of strings; keeps line numbers."""
    blank = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', lambda m: '""' if m.group(0)[0] == '"' else blank(m), text, flags=re.S)


def comparisons(path, text):
    text = stripped(text)
    found = {(text.count("\n", 0, m.end()) + 1, what) for pattern, what in COMPARISONS for m in pattern.finditer(text)}
    for line, what in sorted(found):
        yield f"{path}:{line}: {what}: ask traits_of(kind), and add what it lacks to {TABLE}"


def check(root):
    found = []
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in {".hpp", ".cpp"} and file.is_file() and not OWN.fullmatch(path) and not path.startswith("config/problems/"):
                found += comparisons(path, file.read_text(errors="replace"))
    for kind in re.findall(r"^ +X\((\w+)", (root / TABLE).read_text(), re.M):
        for suffix in ("hpp", "cpp"):
            if not (root / f"runtime/llm/{kind}_provider.{suffix}").is_file():
                found.append(f"{TABLE}:1: {kind} has no runtime/llm/{kind}_provider.{suffix}")
    return found


def self_test():
    bad = {
        "actors/a.cpp": "if (m.provider == provider_kind::tin) {}",
        "actors/b.hpp": "return provider_kind::tin != m.provider;",
        "config/c.cpp": "switch (p) {\n  case ke::provider_kind::tin:\n}",
        "knowledge/d.cpp": "using enum provider_kind;",
        "runtime/llm/price.cpp": "x = m.provider ==\n    provider_kind::tin ? 2 : 1;",
        "runtime/net/e.cpp": 'if (to_text(m.provider) == "tin") {}',
        TABLE: "#define KE_PROVIDER_KINDS(X) \\\n  X(tin, .billed = true) \\\n  X(lead)\n",  # lead has no files
    }
    good = {
        "runtime/llm/tin_provider.cpp": "if (kind == provider_kind::tin) {}",
        "runtime/llm/tin_provider.hpp": "",
        "actors/f.cpp": 'm.provider = provider_kind::tin; // == provider_kind::tin\nauto s = "== provider_kind::tin";\n'
        "bool same = a.provider == b.provider && traits_of(a.provider).billed;\n",
        "tests/g.cpp": "CHECK(m.provider == provider_kind::tin);",
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
    print("\n".join(found) if found else "kinds: every difference between providers is in their table or their files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
