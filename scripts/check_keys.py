#!/usr/bin/env python3
"""Checks that somebody reads every key of campaign.toml and problem.toml.

A key that a file may hold and that nothing reads is a promise that the program does not keep. Each key of the schemas
(config/*_schema.cpp) names the member of a struct that it fills; that member must be read somewhere in actors/, backends/, interface/, knowledge/
or runtime/. Only a read through an object of that struct counts: `cluster.listen` says nothing of a `listen` in another struct. Prints
one line per key that nobody reads and exits 1 if there is any.

    scripts/check_keys.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_keys.py --self-test  proves that unread keys are found and read ones are not
"""

import re
import sys
import tempfile
from pathlib import Path

SCHEMAS = {  # schema -> (the struct that it fills, the headers that describe it and its parts)
    "config/campaign_schema.cpp": ("campaign_settings", ["runtime/core/settings.hpp", "runtime/core/model_settings.hpp"]),
    "config/problem_schema.cpp": ("problem", ["runtime/core/problem.hpp"]),
}
READERS = ["actors", "backends", "interface", "knowledge", "runtime"]
# Where settings are described or compared with one another: nothing becomes of a key there.
NO_READERS = ["runtime/core/settings.hpp", "runtime/core/model_settings.hpp", "runtime/core/problem.hpp", "runtime/search/campaign/settings_change.cpp"]
# Bound to a path; the text that the path names is the member.
TEXTS = {"problem.reference": ("problem", "reference"), "problem.generator": ("problem", "generator")}


def structs_in(text):
    """{struct: {member: its type, or the element type of a vector}}"""
    found = {}
    for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S):
        found[name] = {}
        for line in body.splitlines():
            line = line.split("//")[0]
            if m := re.match(r"\s*([\w:<>, ]+?[>\w])\s+(\w+(?:\s*=[^;,]*)?(?:,\s*\w+(?:\s*=[^;,]*)?)*)\s*;", line):
                kind = re.sub(r"^std::vector<(.*)>$", r"\1", m[1].replace("ke::", "").strip())
                for one in m[2].split(","):
                    found[name][re.match(r"\s*(\w+)", one)[1]] = kind
    return found


def keys_in(text, top, structs):
    """[(key, struct, member)] as the schema binds them; a key whose member can't be told has none."""
    found = []
    for part in re.split(r"keys\.push_back\(", text)[1:]:
        part = part.split("lists.push_back(")[0]
        path = re.search(r'"([a-z][\w.]*)(?:"|\." \+)', part)[1]
        if path in TEXTS:
            found.append((path, *TEXTS[path]))
        elif m := re.search(r"&(\w+)::(\w+)", part):
            found.append((path, m[1], m[2]))
        elif m := re.search(r"\b(?:x|s|p)((?:\.\w+(?:\.at\(i\))?)+)\b", part[part.index(path):]):
            struct = top
            *way, member = [w.replace(".at(i)", "") for w in re.findall(r"\.(?!at\()\w+(?:\.at\(i\))?", m[1])]
            for step in way:
                struct = structs[struct][step.strip(".")]
            found.append((path, struct, member.strip(".")))
        else:
            found.append((path, "", ""))
    return found


def object_before(text, at):
    """The name of the object of an access whose dot or arrow is at `at`: of "a.b[i]." and "a.b.at(i)." b, of "settings()." settings."""
    while at > 0 and text[at - 1] in ")]":
        depth = 0
        while at > 0:
            at -= 1
            depth += (text[at] in ")]") - (text[at] in "([")
            if depth == 0:
                break
    m = re.search(r"(\w+)$", text[max(0, at - 80):at])
    if m and m[1] in ("at", "front", "back"):
        return object_before(text, at - len(m[1]) - 1)
    return m[1] if m else ""


class Sources:
    def __init__(self, root, structs):
        self.structs = structs
        self.texts = {}
        self.known = {}
        for room in READERS:
            for path in sorted((root / room).rglob("*.[ch]pp")):
                name = path.relative_to(root).as_posix()
                if name not in NO_READERS:
                    text = re.sub(r"//[^\n]*", "", path.read_text(errors="replace"))
                    self.texts[name] = re.sub(r"KE_FIELDS\(.*?\)\n", "", text, flags=re.S)

    def objects_of(self, struct, name):
        """Names that stand for an object of `struct` in this file."""
        stem = name.rsplit(".", 1)[0]
        if (struct, stem) in self.known:
            return self.known[struct, stem]
        near = "".join(text for other, text in self.texts.items() if other.rsplit(".", 1)[0] == stem)
        names = {member for members in self.structs.values() for member, kind in members.items() if kind == struct}
        names |= set(re.findall(rf"\b{struct}\b>?(?:\s+const)?\s*[&*]*\s*(\w+)", near))
        for step in range(2):  # `auto& x = ...names`, `for (auto& x : ...names)`, and what is made of these
            known = "|".join(sorted(re.escape(n) for n in names))
            names |= set(re.findall(rf"auto\s*[&*]*\s*(\w+)\s*=\s*[^;]*\b(?:{known})(?:\(\))?\s*;", near))
            names |= set(re.findall(rf"auto\s*[&*]*\s*(\w+)\s*=\s*[^;{{}}]*\b(?:{known})(?:\.at\(|\[)[^;]*;", near))
            names |= set(re.findall(rf"auto\s*[&*]*\s*(\w+)\s*:\s*[^;{{}}]*\b(?:{known})(?:\(\))?\s*\)", near))
        for known in list(names):  # algorithms over a list: [](const auto& t) {...} in the same statement
            for statement in re.findall(rf"[^;{{}}]*\b{re.escape(known)}\b\.begin\(\)[^;]*;", near):
                names |= set(re.findall(r"auto\s*&*\s*(\w+)\s*[,)]", statement))
        self.known[struct, stem] = names
        return names

    def reader_of(self, struct, member):
        """A file that reads it, or None."""
        access = re.compile(rf"(?:\.|->)\s*{member}\b(?!\s*\()(?!\s*=[^=])")
        pointer = re.compile(rf"&{struct}::{member}\b")
        for name, text in self.texts.items():
            if pointer.search(text):
                return name
            places = list(access.finditer(text))
            if places:
                objects = self.objects_of(struct, name)
                if any(object_before(text, p.start()) in objects for p in places):
                    return name
        return None


def check(root):
    found = []
    for schema, (top, headers) in SCHEMAS.items():
        structs = structs_in("\n".join((root / header).read_text() for header in headers))
        sources = Sources(root, structs)
        keys = keys_in((root / schema).read_text(), top, structs)
        if not keys:
            found.append(f"{schema}: no keys were found in it; has its form changed?")
        for key, struct, member in keys:
            if member not in structs.get(struct, {}):
                found.append(f"{schema}: which member the key {key} fills can't be told")
            elif not sources.reader_of(struct, member):
                found.append(f"{schema}: nothing reads {key} ({struct}::{member}): let something use it, or refuse it")
    return found


def self_test():
    """Keys that are read in each of the usual ways, and keys that only seem to be."""
    read = {"a": "run(o.settings.part.a);", "b": "void f(const part_settings& p) { use(p.b); }",
            "c": "for (const auto& m : settings.parts) use(m.c);", "d": "use(settings.parts.at(i).d);",
            "e": "auto& p = settings().part; use(p.e);", "f": "use(&part_settings::f);"}
    unread = {"listen": "listen_options o; use(o.listen);", "h": "part.h = 1;", "i": "// part.i\n", "j": "use(part.j());"}
    names = [*read, *unread]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in ("config", "runtime/core", "actors"):
            (root / path).mkdir(parents=True)
        fields = "".join(f"  int {n} = 0;\n" for n in names)
        header = f"struct part_settings {{\n{fields}}};\nstruct TOP {{\n  part_settings part;\n  std::vector<part_settings> parts;\n}};\n"
        schema = "".join(f'keys.push_back({{"part.{n}", "Text.", of([](auto& x) -> auto& {{ return x.part.{n}; }})}});\n' for n in names)
        for path, (top, headers) in SCHEMAS.items():
            (root / path).write_text(schema)
            for where in headers:
                (root / where).write_text("")
            (root / headers[0]).write_text(header.replace("TOP", top))
        for n, text in {**read, **unread}.items():
            (root / f"actors/{n}.cpp").write_text(text + "\n")
        blamed = {re.search(r"reads part\.(\w+)", line)[1] for line in check(root)}
    for n in set(unread) - blamed:
        print(f"self-test: {n} is read by nobody and was not blamed")
    for n in blamed - set(unread):
        print(f"self-test: {n} was blamed wrongly")
    return blamed == set(unread)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = check(root)
    print("\n".join(found) if found else "keys: somebody reads each of them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
