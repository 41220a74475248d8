#!/usr/bin/env python3
"""Checks who includes whom.

    actors -> {backends, knowledge, config} -> runtime

A file may include its own room and what ALLOWED names for it; a foreign library may be included only in its
one home (HOMES). Prints one line per violation as file:line and exits 1 if there is any.

    scripts/check_layering.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_layering.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

# Deepest room first: a file belongs to the first room whose folder holds it.
ROOMS = [
    "runtime/core",
    "runtime/search",
    "runtime/store",
    "runtime/net",
    "runtime/process",
    "runtime/llm/playbook",
    "runtime/llm",
    "backends/judge",
    "backends/profile",
    "backends",
    "knowledge",
    "config",
    "actors",
    "tests",
    "scripts",
]

# What a room may include besides itself: a room, or one file of a room.
ALLOWED = {
    "runtime/core": [],
    "runtime/search": ["runtime/core"],
    "runtime/store": ["runtime/core"],
    "runtime/net": ["runtime/core"],
    "runtime/process": ["runtime/core"],
    "runtime/llm/playbook": ["runtime/core"],
    "runtime/llm": ["runtime/core", "runtime/process", "runtime/llm/playbook"],
    "backends": ["runtime/core", "runtime/process"],
    "backends/judge": ["runtime/core", "runtime/process", "backends"],
    "knowledge": ["runtime/core", "runtime/llm/prompt.hpp", "runtime/search/index/node_tree.hpp"],
    "backends/profile": ["runtime/core", "runtime/process", "backends", "backends/judge"],
    "config": ["runtime/core"],
    "actors": [room for room in ROOMS if room.startswith("runtime/") and room != "runtime/llm/playbook"]
    + ["backends", "knowledge", "config"],
    "tests": [room for room in ROOMS if room != "scripts"],
    "scripts": ["config", "runtime/core"],
}

# A foreign library's headers -> the rooms (or files) that may include them. Tests may include what they test.
HOMES = {
    r"caf/": ["actors/supervision/caf.hpp", "tests/actors", "tests/scenario"],
    r"zmq": ["runtime/net", "tests/net"],
    r"lmdb": ["runtime/store/environment.cpp", "tests/store", "tests/bench"],
    r"boost/": ["runtime/process"],
    r"curl/": ["runtime/llm/http_service.cpp"],
    r"seccomp": ["runtime/process", "tests/process"],
    r"toml\+\+/|toml\.hpp": ["config", "backends", "knowledge"],
    r"CLI/": ["actors/cli", "interface/main.cpp", "tests"],
    r"httplib": ["actors/cli", "tests"],
    r"spdlog/": ["runtime/core"],
    r"msgpack": ["runtime/core"],
    r"sodium": ["runtime/core", "runtime/net"],
    r"zstd": ["runtime/core"],
    r"catch2/": ["tests"],
}

# Heavy headers that slow every includer down: sources only.
SOURCES_ONLY = [r"nlohmann/json\.hpp", r"CLI/", r"spdlog/", r"toml\+\+/", r"httplib"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".hpp", ".cpp", ".h", ".cc"}


def room_of(path):
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def within(path, places):
    return any(path == place or path.startswith(place + "/") for place in places)


def includes(text):
    """(line, quoted, target) of every include directive outside raw strings and comments."""
    for number, line in enumerate(strip(text).splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) == '"', found.group(2)


def strip(text):
    """Blanks raw strings and block comments, in which a line may look like an include; keeps line numbers."""
    blank = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    return re.sub(r"/\*.*?\*/", blank, text, flags=re.S)


def violations_of(path, text, root):
    room = room_of(path)
    if room is None:
        return
    for line, quoted, target in includes(text):
        say = lambda why: f"{path}:{line}: includes {target}: {why}"
        if quoted:
            if not (root / target).is_file():
                yield say("no such file from the root of the repository; write the path from there")
                continue
            to = room_of(target)
            if to is None or to == room or (room == "backends/judge" and to == "backends"):
                continue
            if room == "tests" and to != "scripts":
                continue
            if not within(target, ALLOWED[room]) or (to not in ALLOWED[room] and target not in ALLOWED[room]):
                may = ", ".join(ALLOWED[room]) or "nothing else"
                yield say(f"{room} may include itself and {may}")
            continue
        for pattern, homes in HOMES.items():
            if re.match(pattern, target) and not within(path, homes):
                yield say(f"this library is included only in {', '.join(homes)}")
        if path.endswith(".hpp") and room != "tests" and any(re.match(p, target) for p in SOURCES_ONLY):
            yield say("include it in a source, not in a header: every includer would compile it")


def check(root):
    found = []
    for room in sorted({room.split("/")[0] for room in ROOMS}):
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SUFFIXES or not file.is_file() or path.startswith(("tests/redteam/", "backends/cpu-cpp/")):
                continue
            if re.match(r"config/problems/|tests/fixtures/", path):  # candidates and references: not ours
                continue
            found += violations_of(path, file.read_text(errors="replace"), root)
    return found


def self_test():
    bad = {
        "runtime/core/a.hpp": '#include "runtime/store/b.hpp"',
        "runtime/store/b.hpp": '#include "runtime/net/c.hpp"',
        "runtime/net/c.hpp": '#include "actors/d.hpp"',
        "actors/d.hpp": "#include <caf/all.hpp>",
        "actors/e.cpp": "#include <zmq.h>",
        "config/f.cpp": '#include "backends/g.hpp"',
        "backends/g.hpp": '#include "backends/judge/h.hpp"',
        "backends/judge/h.hpp": "#include <toml++/toml.h>",
        "knowledge/i.cpp": '#include "runtime/llm/provider.hpp"',
        "runtime/llm/provider.hpp": "#include <curl/curl.h>",
        "runtime/llm/playbook/j.cpp": '#include "runtime/llm/provider.hpp"',
        "runtime/search/k.cpp": "#include <lmdb.h>",
        "runtime/process/l.cpp": '#include "missing.hpp"',
    }
    good = {
        "runtime/process/m.cpp": '#include "runtime/core/a.hpp"\nauto s = R"(\n#include <zmq.h>\n)";\n',
        "actors/supervision/caf.hpp": "#include <caf/all.hpp>",
        "tests/net/n.cpp": '#include <zmq.h>\n#include "runtime/net/c.hpp"',
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
    print("\n".join(found) if found else "layering: every include points the right way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
