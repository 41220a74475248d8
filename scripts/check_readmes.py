#!/usr/bin/env python3
"""Checks that the files which READMEs and documents name exist.

A name is what stands in backticks and ends in .hpp, .cpp, .md, .py or .sh. It may be written from the folder of the document, from the
root, or from any folder of the document's room (a README's room is its folder; a page below docs/ has none, so it writes from docs/ or
the root). Links are written from the page's folder. Patterns and placeholders (`*_test.cpp`, `NAME.md`), absolute paths and the user's own files are left alone. A README must
stand in every room of docs/architecture.md and fit on a screen; docs/README.md lists every decision; the top level has no plain files but
those that belong there. Prints one line per violation as file:line and exits 1 if there is any.

    scripts/check_readmes.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_readmes.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

TOPS = ["actors", "backends", "config", "docs", "interface", "knowledge", "runtime", "scripts", "tests"]
PAGES = ["README.md", "CONTRIBUTING.md"]  # at the root
AT_TOP = {"CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "CONTRIBUTING.md", "LICENSE", "README.md"}
PLAN = "docs/architecture.md"
INDEX = "docs/README.md"
ROOM = re.compile(r"^\| `([^`]+)` \|", re.M)
NAMED = re.compile(r"`([^`\s]+\.(?:hpp|cpp|md|py|sh))`")
LINKED = re.compile(r"\]\((?!https?:)([^)#\s]+)\)")
PLACEHOLDER = re.compile(r"[*<>{}$…~]|(?<![A-Za-z])(?!README|CONTRIBUTING|CHANGELOG)[A-Z]{3,}")
LONGEST = 60  # lines of a README: a screen
# Files that a user has, that the program writes for a user, or that a library has.
THEIRS = {"kernel.cpp", "kernel.py", "candidate.cpp", "reference.cpp", "reference.py", "inputs.py", "build.sh", "nlohmann/json.hpp"}


def documents(root):
    for page in PAGES:
        if (root / page).is_file():
            yield page
    for top in TOPS:
        for file in sorted((root / top).rglob("*.md")):
            path = file.relative_to(root).as_posix()
            if file.name == "README.md" or path.startswith("docs/"):
                yield path


def names_in(text):
    """(line, name) of every file that a page names."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in NAMED.findall(line):
            if not name.startswith("/") and not PLACEHOLDER.search(name) and name not in THEIRS:
                yield number, name


def exists(root, document, name):
    folder = (root / document).parent
    if (folder / name).is_file() or (root / name).is_file():
        return True
    if folder == root or document.startswith("docs/"):
        return (root / "docs" / name).is_file()
    return any(("/" + file.relative_to(folder).as_posix()).endswith("/" + name) for file in folder.rglob(Path(name).name))


def check(root):
    found = []
    for document in documents(root):
        text = (root / document).read_text(errors="replace")
        found += [f"{document}:{line}: names {name}, which does not exist" for line, name in names_in(text) if not exists(root, document, name)]
        found += [f"{document}:1: links {to}, which does not exist" for to in LINKED.findall(text) if not (root / document).parent.joinpath(to).exists()]
        if document.endswith("/README.md") and len(text.splitlines()) > LONGEST:
            found.append(f"{document}:{LONGEST}: longer than a screen ({LONGEST} lines)")
    index = (root / INDEX).read_text() if (root / INDEX).is_file() else ""
    found += [f"{INDEX}:1: does not list decisions/{file.name}" for file in sorted((root / "docs/decisions").glob("*.md")) if f"(decisions/{file.name})" not in index]
    rooms = (root / PLAN).read_text().split("A foreign library has one home")[0]
    found += [f"{PLAN}:1: the room {room} has no README.md" for room in ROOM.findall(rooms) if not (root / room / "README.md").is_file()]
    found += [f"{file.name}:1: does not belong at the top level; what a try has left behind is deleted" for file in sorted(root.iterdir())
              if file.is_file() and not file.name.startswith(".") and file.name not in AT_TOP]
    return found


def self_test():
    good = {
        PLAN: "| `runtime/core` | x |\n| `actors` | x |\nSee `README.md`, `manual/use.md`, `runtime/core/a.hpp`.\nA foreign library has one home\n| `zmq` | |\n",
        "README.md": "`runtime/core/a.hpp`, `docs/manual/use.md`, `NAME.md`, `*_test.cpp`, `/usr/lib/x.py`, `kernel.cpp`\n",
        "docs/manual/use.md": "`use.md`\n",
        "runtime/core/README.md": "`a.hpp`, `runtime/core/a.hpp`, [a](a.hpp), [b](https://b.example/c.md)\n",
        "runtime/core/a.hpp": "",
        "actors/README.md": "`b.cpp`, `deep/b.cpp`, `../runtime/core/a.hpp`\n",
        "actors/deep/b.cpp": "",
        "docs/README.md": "[1](decisions/0001-a.md)\n",
        "docs/decisions/0001-a.md": "",
    }
    bad = {
        "README.md": ["`a.hpp`"],
        "docs/manual/use.md": ["`b.cpp`"],
        "runtime/core/README.md": ["`b.cpp`", "`gone.sh`", "`core/a.hpp`", "[a](../a.hpp)", "x\n" * LONGEST],
        "actors/README.md": ["`a.hpp`"],
        PLAN: ["| `config` | x |"],
        "docs/decisions/0002-b.md": ["x"],
        "e.txt": ["x"],
    }
    fine = True
    for path, tail in [(None, ""), *[(p, t) for p, tails in bad.items() for t in tails]]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**good, **({path: tail + "\n" + good.get(path, "")} if path else {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            blamed = check(root)
        at = INDEX if path == "docs/decisions/0002-b.md" else path
        if len(blamed) != (path is not None) or (at and not blamed[0].startswith(at + ":")):
            print(f"self-test: {tail!r} in {path} gave {blamed}")
            fine = False
    return fine


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = check(root)
    print("\n".join(found) if found else "readmes: every room has one, and every file that a page names exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
