#!/usr/bin/env python3
"""Checks that a change of one noun compiles at most a third of the sources.

Counted are the .cpp files, tests included, that include a header of runtime/core or runtime/text, directly or over others. A header
that reaches more than a third of them is a violation, unless it is listed in BASE with a reason; so is an entry of BASE that has no
file, or that needs no exception. The ways down, in this order: a forward declaration in headers that only name the type (`struct
verdict;`, `enum class node_state : std::uint8_t;`), the include in the sources that use it, the body of an inline function in a source,
a header for each of two nouns. Prints one line per violation as file:line and exits 1 if there is any.

    scripts/check_fan_out.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_fan_out.py --list       every noun's share, the widest first
    scripts/check_fan_out.py --why HEADER who includes it: how many sources would not reach it without this include, and how many
                                          reach the includer
    scripts/check_fan_out.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

TOPS = ["actors", "backends", "config", "interface", "knowledge", "runtime", "scripts", "tests"]
NOUNS = ["runtime/core/", "runtime/text/"]
# Candidates, references and what stands in for them: no sources of ours.
FOREIGN = re.compile(r"tests/(redteam|fixtures|listings)/|backends/(cpu-cpp|cuda)/|config/problems/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)

# What nouns are made of: no nouns, and nothing in them changes with a noun.
BASE = {
    "runtime/core/fields.hpp": "KE_FIELDS: how every struct lists its members",
    "runtime/core/names.hpp": "KE_NAMES: how every enum lists its texts",
    "runtime/core/result.hpp": "a value or a failure: what every function that can fail returns",
}


def stripped(text):
    """Without raw strings and block comments, in which a line may look like an include."""
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', "", text, flags=re.S)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


class Tree:
    """Who includes whom, by paths from the root."""

    def __init__(self, root):
        self.includes = {}
        for top in TOPS:
            for file in sorted((root / top).rglob("*")):
                path = file.relative_to(root).as_posix()
                if file.suffix in {".hpp", ".cpp"} and file.is_file() and not FOREIGN.match(path):
                    self.includes[path] = set(INCLUDE.findall(stripped(file.read_text(errors="replace"))))
        self.sources = [path for path in self.includes if path.endswith(".cpp")]

    def reached(self, path):
        seen, ahead = set(), [path]
        while ahead:
            for other in self.includes.get(ahead.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        return seen

    def fan_out(self):
        """How many sources reach each header."""
        return Counter(header for source in self.sources for header in self.reached(source))

    def includers(self, header):
        """(sources that reach the header over this includer alone, sources that reach the includer, includer)"""
        counts = self.fan_out()
        for path in sorted(path for path in self.includes if path.endswith(".hpp") and header in self.includes[path]):
            self.includes[path].remove(header)
            without = sum(header in self.reached(source) for source in self.sources)
            self.includes[path].add(header)
            yield counts[header] - without, counts[path], path


def nouns(tree):
    return [path for path in tree.includes if path.endswith(".hpp") and path.startswith(tuple(NOUNS))]


def check(root, base):
    tree = Tree(root)
    counts, most = tree.fan_out(), len(tree.sources) // 3
    for path in nouns(tree):
        if path in base and counts[path] <= most:
            yield f"{path}:1: reaches a third of the sources at most: it needs no entry in BASE"
        if path not in base and counts[path] > most:
            yield f"{path}:1: {counts[path]} of {len(tree.sources)} sources include it, more than {most}: scripts/check_fan_out.py --why {path}"
    for path in base:
        if path not in tree.includes:
            yield f"{path}:1: stands in BASE, but there is no such file"


def self_test():
    base = {"runtime/core/fields.hpp": "", "runtime/core/narrow.hpp": "", "runtime/core/gone.hpp": ""}
    files = {
        "runtime/core/fields.hpp": "#pragma once",
        "runtime/core/narrow.hpp": "#pragma once",
        "runtime/core/wide.hpp": '#pragma once\n#include "runtime/core/fields.hpp"',
        "runtime/text/wide_text.hpp": "#pragma once",
        "runtime/core/third.hpp": "#pragma once",
        "runtime/core/named.hpp": "#pragma once",
        "runtime/net/wire.hpp": '#pragma once\n#include "runtime/core/wide.hpp"\n  # include "runtime/text/wide_text.hpp"',
        "runtime/net/plain.hpp": 'struct named;\n/*\n#include "runtime/core/named.hpp"\n*/\nauto t = R"(\n#include "runtime/core/named.hpp"\n)";',
        "actors/a.cpp": '#include "runtime/net/wire.hpp"\n#include "runtime/core/third.hpp"\n#include "runtime/net/plain.hpp"',
        "actors/b.cpp": '#include "runtime/net/wire.hpp"\n#include "runtime/core/third.hpp"\n#include "runtime/net/plain.hpp"',
        "tests/c.cpp": '#include "runtime/net/wire.hpp"\n#include "runtime/core/narrow.hpp"\n#include "runtime/net/plain.hpp"',
        "tests/d.cpp": "int main() {}",
        "tests/e.cpp": "",
        "config/f.cpp": "",
        "config/problems/x.cpp": '#include "runtime/core/third.hpp"',
    }
    bad = {"runtime/core/narrow.hpp", "runtime/core/wide.hpp", "runtime/text/wide_text.hpp", "runtime/core/gone.hpp"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        blamed = {line.split(":")[0] for line in check(root, base)}
        why = [*Tree(root).includers("runtime/core/wide.hpp")]
    for path in bad - blamed:
        print(f"self-test: {path} was not blamed")
    for path in blamed - bad:
        print(f"self-test: {path} was blamed wrongly")
    if why != [(3, 3, "runtime/net/wire.hpp")]:
        print(f"self-test: the includers of wide.hpp are {why}")
    return blamed == bad and why == [(3, 3, "runtime/net/wire.hpp")]


def main():
    words = sys.argv[1:]
    if words == ["--self-test"]:
        return 0 if self_test() else 1
    here = Path(__file__).parent.parent.resolve()
    if words == ["--list"]:
        tree = Tree(here)
        counts = tree.fan_out()
        for path in sorted(nouns(tree), key=lambda path: -counts[path]):
            print(f"{counts[path] / len(tree.sources):6.1%} {counts[path]:4} {path}{'  (base)' if path in BASE else ''}")
        return 0
    if words[:1] == ["--why"] and len(words) == 2:
        for saved, reach, path in sorted(Tree(here).includers(words[1]), reverse=True):
            print(f"{saved:4} {reach:4} {path}")
        return 0
    found = [*check(Path(words[0]).resolve() if words else here, BASE)]
    print("\n".join(found) if found else "fan-out: a change of a noun compiles a third of the sources at most")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
