#!/usr/bin/env python3
"""Checks that no function of the product is longer than 40 lines.

Counted are the lines from the opening to the closing brace. Tables do not count: braced lists and raw strings of several lines. A
handler inside such a table counts as a function of its own. Prints one line per violation as file:line and exits 1.

    scripts/check_functions.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_functions.py --list       every longer function, the longest first
    scripts/check_functions.py --self-test  proves that each rule can fail
"""

import re
import sys
import tempfile
from pathlib import Path

ROOMS = ["actors", "backends", "config", "interface", "knowledge", "runtime"]
MOST = 40
TYPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
BLOCK = re.compile(r"(\)|\b(else|do|try|const|noexcept|override|final|mutable)|;|\{|\}|:)\s*$")
RETURN_TYPE = re.compile(r"\)\s*(const\s*|noexcept\s*|mutable\s*)*->\s*[\w:<>,&*\s\[\]()]+$")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(\([^{};]*\)\s*)?(mutable\s*|noexcept\s*)*(->\s*[\w:<>,&*\s]+)?$")


def stripped(text):
    """Without comments, strings and preprocessor lines; keeps line numbers. A raw string becomes a braced list."""
    text = re.sub(r'R"([^(\s]*)\((.*?)\)\1"', lambda m: "x{" + "\n" * m.group(0).count("\n") + "}", text, flags=re.S)
    blank = lambda m: '""' if m.group(0)[0] == '"' else "' '" if m.group(0)[0] == "'" else "\n" * m.group(0).count("\n")
    text = re.sub(r"""/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(\\.|[^'\\\n])+'""", blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M)


def kind_of(before, scope):
    """What a brace opens, after the text since the last brace or semicolon: scope, function, block or table."""
    if scope in ("file", "type"):
        if TYPE.search(before) and "(" not in re.sub(r"\b(alignas|__attribute__)\s*\([^()]*\)", "", before):
            return "type"
        if re.search(r"\)\s*$", before) or re.search(r"\)\s*(const|noexcept|override|final|&|\s)*$", before):
            return "function"
        if RETURN_TYPE.search(before) or re.search(r"\)[^=]*\btry\s*$", before):
            return "function"
        # a constructor whose members are initialised with braces: `: a{x}, b{y} {`
        return "function" if re.search(r"\)\s*(noexcept)?\s*:[^:]", before) and re.search(r"[})]\s*$", before) else "table"
    if LAMBDA.search(before):
        return "function" if scope == "table" else "block"
    if not before.strip() or BLOCK.search(before) or RETURN_TYPE.search(before):
        return "table" if scope == "table" else "block"
    return "type" if re.match(r"\s*(struct|class|enum)\b[^=]*$", before) else "table"


def functions(text):
    """(line, name, counted lines) of each function."""
    text = stripped(text)
    stack, before, line = [], "", 1
    for c in text:
        if c == "\n":
            line += 1
        if c == "{":
            scope = next((s["kind"] for s in reversed(stack) if s["kind"] != "block"), "file")
            inner = stack[-1]["kind"] if stack else "file"
            kind = kind_of(before, inner if inner in ("table", "type", "function") else scope)
            stack.append({"kind": kind, "line": line, "before": before, "tables": 0})
            # members initialised with braces belong to the head of their constructor
            before = ""
        elif c == "}":
            if not stack:
                break
            s = stack.pop()
            lines = line - s["line"] + 1
            if s["kind"] == "table":
                if stack:
                    stack[-1]["tables"] += max(0, lines - 2)
                before = s["before"] + "{}"
                continue
            if s["kind"] == "function":
                if stack and stack[-1]["kind"] == "table":
                    before = s["before"] + "{}"
                    name = "a handler"
                else:
                    before = ""
                    heads = re.findall(r"([~\w:]+|operator\s*\S+?)\s*\(", s["before"])
                    name = next((h for h in heads if h not in ("decltype", "requires", "noexcept")), "?")
                yield s["line"], name, lines - s["tables"]
                if stack and stack[-1]["kind"] == "table":
                    continue
            elif stack:
                stack[-1]["tables"] += s["tables"]
            before = ""
        elif c == ";":
            before = ""
        else:
            before += c


def long_functions(root):
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in {".hpp", ".cpp"} and file.is_file() and not path.startswith("config/problems/"):
                for line, name, lines in functions(file.read_text(errors="replace")):
                    if lines > MOST:
                        yield path, line, name, lines


def check(root):
    return [f"{path}:{line}: {name} has {lines} lines, more than {MOST}" for path, line, name, lines in long_functions(root)]


def self_test():
    body = "  a();\n"
    table = "    {1, 2},\n"
    longer = body * (MOST + 1)
    bad = {
        "actors/a.cpp": "namespace x {\nvoid f(int a) {\n" + longer + "}\n}",
        "actors/b.hpp": "struct s {\n  int f() const {\n    if (x) {\n" + longer + "    }\n  }\n};",
        "runtime/c.cpp": "s::s(int a)\n    : a_{a}, b_{a} {\n" + longer + "}",
        "runtime/d.cpp": "auto f() -> std::vector<int> {\n  g([&] {\n" + longer + "  });\n}",
        "interface/e.cpp": "behavior f() {\n  return {\n      [=](int) {\n" + longer + "      },\n  };\n}",
        "config/f.cpp": "void f() {\n  table t{\n" + table * 60 + "  };\n" + longer + "}",
        "knowledge/l.cpp": "void f() {\n" + longer + "}\nvoid g() {\n" + longer + "}",
    }
    good = {
        "actors/g.cpp": "void f() {\n" + body * (MOST - 2) + "}\nvoid g() {\n" + body * (MOST - 2) + "}",
        "config/h.cpp": "void f() {\n  table t{\n" + table * 60 + "  };\n}\nconst table u = {\n" + table * 60 + "};",
        "interface/i.cpp": "behavior f() {\n  return {\n" + "      [=](int) {\n        a();\n      },\n" * 20 + "  };\n}",
        "backends/j.cpp": 'std::string f() {\n  return R"(' + "{\n" * 60 + ')";\n}\nstruct t {\n' + "  void f();\n" * 60 + "};",
        "runtime/k.cpp": "void f() {\n" + "// why\n" * 3 + body * 30 + "}\nenum class e {\n" + "  a,\n" * 60 + "};",
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
    here = Path(__file__).parent.parent.resolve()
    if sys.argv[1:] == ["--list"]:
        for path, line, name, lines in sorted(long_functions(here), key=lambda f: -f[3]):
            print(f"{lines:4} {path}:{line} {name}")
        return 0
    found = check(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here)
    print("\n".join(found) if found else f"functions: none is longer than {MOST} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
