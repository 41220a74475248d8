#!/usr/bin/env python3
"""Checks who includes whom, by the tables of docs/architecture.md.

A file may include its own room and those that the first table names for it; a foreign library may be included
only in its home, and in tests. No room may reach itself over others, no two files of the product may have the
same name. Nothing but actors reaches CAF over what it includes, and the actors' plain files do not, either. Prints one line per
violation as file:line and exits 1 if there is any.

    scripts/check_layering.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_layering.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

TABLE = "docs/architecture.md"
CAF = "actors/supervision/caf.hpp"

# Heavy headers that slow every includer down: sources only.
SOURCES_ONLY = [r"nlohmann/json\.hpp", r"CLI/", r"spdlog/", r"toml\+\+/"]

ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|\s*$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".hpp", ".cpp", ".h", ".cc"}


class Plan:
    """The tables: what each room may include, where each library lives, and which files among the actors are plain."""

    def __init__(self, text):
        rooms, rest = text.split("A foreign library has one home", 1)
        libraries, plain = rest.split("Plain files of `actors/`", 1)
        self.allowed = {name: re.findall(r"`([^`]+)`", cells.split("|")[-1]) for name, cells in rows(rooms)}
        self.homes = {name: re.findall(r"`([^`]+)`", cells.split("|")[0]) for name, cells in rows(libraries)}
        # `FOLDER/NAME.*`: its header and its source.
        self.plain = re.findall(r"`([^`]+)\.\*`", plain.split("\n## ")[0])
        # Deepest first: a file belongs to the first room whose folder holds it.
        self.rooms = sorted(self.allowed, key=lambda room: -room.count("/"))

    def room_of(self, path):
        return next((room for room in self.rooms if path.startswith(room + "/")), None)

    def circles(self):
        """Rooms that reach themselves."""
        step = {room: {other for other in self.allowed if other != room and within(other, may)} for room, may in self.allowed.items()}
        for room in self.allowed:
            seen, ahead = set(), [*step[room]]
            while ahead:
                if (other := ahead.pop()) not in seen:
                    seen.add(other)
                    ahead += step[other]
            if room in seen:
                yield f"{TABLE}: {room} may include what may include {room}"


def rows(text):
    return [found.groups() for found in map(ROW.match, text.split("\n## ")[1 if "\n## " in text else 0].splitlines()) if found]


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


def violations_of(path, text, root, plan):
    room = plan.room_of(path)
    if room is None:
        yield f"{path}: lies in no room of {TABLE}"
        return
    allowed = plan.allowed[room]
    for line, quoted, target in includes(text):
        say = lambda why: f"{path}:{line}: includes {target}: {why}"
        if quoted:
            if not (root / target).is_file():
                yield say("no such file from the root of the repository; write the path from there")
            elif plan.room_of(target) not in (None, room) and not within(target, allowed):
                yield say(f"{room} may include itself and {', '.join(allowed) or 'nothing else'}")
            continue
        for library, homes in plan.homes.items():
            if target.startswith(library) and not within(path, [*homes, "tests"]):
                yield say(f"this library is included only in {', '.join(homes)}")
        if path.endswith(".hpp") and room != "tests" and any(re.match(p, target) for p in SOURCES_ONLY):
            yield say("include it in a source, not in a header: every includer would compile it")


def sources(root, plan):
    for top in sorted({room.split("/")[0] for room in plan.rooms}):
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            if not re.match(r"tests/(redteam|fixtures|listings)/|backends/(cpu-cpp|cuda|evaluation/harness)/|config/problems/", path):  # candidates, references, what is compiled with them
                yield path, file


def namesakes(paths):
    """Two files of the product with one name mislead tabs, grep and stack traces."""
    seen = {}
    for path in paths:
        if not path.startswith(("tests/", "scripts/")):
            other = seen.setdefault(Path(path).name, path)
            if other != path:
                yield f"{path}: has the name of {other}"


def check(root):
    plan = Plan((root / TABLE).read_text())
    found = [*plan.circles()]
    paths = [*sources(root, plan)]
    for path, file in paths:
        found += violations_of(path, file.read_text(errors="replace"), root, plan)
    reached = [*reaching(paths, CAF)]
    found += [f"{path}: reaches {CAF} over what it includes; only actors, tests may" for path in reached
              if not within(path, ["actors", "tests"])]
    found += [f"{path}: reaches {CAF} over what it includes; {TABLE} calls it plain" for path in reached if stem(path) in plan.plain]
    there = {stem(path) for path, _ in paths}
    found += [f"{TABLE}: there is no {name}.*" for name in plan.plain if name not in there]
    return found + [*namesakes(path for path, _ in paths)]


def stem(path):
    return path.rsplit(".", 1)[0]


def reaching(paths, target):
    """Files that include `target`, perhaps over others: all of them compile it."""
    direct = {path: {t for _, quoted, t in includes(file.read_text(errors="replace")) if quoted} for path, file in paths}
    for path in direct:
        seen, ahead = set(), [path]
        while ahead:
            for other in direct.get(ahead.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        if target in seen:
            yield path


def self_test():
    table = """
## Rooms
| room | what | may include |
|---|---|---|
| `runtime/core` | | |
| `runtime/net` | | `runtime/core` |
| `runtime/store` | | `runtime/core` |
| `runtime/llm` | | `runtime/core` `runtime/loop` |
| `runtime/loop` | | `runtime/llm` |
| `backends/judge` | | `runtime` `backends/verdict` |
| `backends/verdict` | | `runtime/core` |
| `config` | | `runtime/core` |
| `actors` | | `runtime` `config` |
| `interface` | | `actors` |
| `tests` | | `runtime` `actors` |

A foreign library has one home:
| `caf/` | `actors/supervision/caf.hpp` | |
| `zmq` | `runtime/net` | |
| `lmdb` | `runtime/store/environment.cpp` | |
| `toml++/` | `config` | |

Plain files of `actors/`:
| `actors/part.*` `actors/kept.*` | parts |
| `actors/gone.*` | |

## The life of one candidate
| step | who |
| `actors/q.*` | |
"""
    bad = {
        "runtime/core/a.hpp": '#include "runtime/store/b.hpp"',
        "runtime/store/b.hpp": '#include "runtime/net/c.hpp"',
        "runtime/net/c.hpp": '#include "actors/d.hpp"',
        "actors/d.hpp": "#include <caf/all.hpp>",
        "actors/e.cpp": "#include <zmq.h>",
        "config/f.cpp": '#include "backends/judge/h.hpp"',
        "backends/judge/h.hpp": "#include <toml++/toml.h>",
        "backends/verdict/g.hpp": '#include "backends/judge/h.hpp"',
        "runtime/store/k.cpp": "#include <lmdb.h>",
        "runtime/net/l.cpp": '#include "missing.hpp"',
        "config/same.hpp": "",
        "interface/p.cpp": '#include "actors/q.hpp"',
        "actors/part.hpp": '#include "actors/q.hpp"',
        "actors/part.cpp": '#include "actors/part.hpp"',
        "config/n.hpp": "#include <nlohmann/json.hpp>",
        "runtime/nowhere/o.hpp": "",
        TABLE: table,
    }
    good = {
        "runtime/net/m.cpp": '#include "runtime/core/a.hpp"\nauto s = R"(\n#include <zmq.h>\n)";\n',
        "actors/supervision/caf.hpp": "#include <caf/all.hpp>",
        "actors/same.hpp": "",
        "actors/q.hpp": '#include "actors/supervision/caf.hpp"',
        "actors/kept.hpp": '#include "runtime/core/a.hpp"',
        "actors/r.cpp": '#include "actors/part.hpp"',
        "runtime/store/environment.cpp": "#include <lmdb.h>",
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
