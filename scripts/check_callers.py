#!/usr/bin/env python3
"""Checks that what the headers of the product declare has a caller in the product.

Functions, member functions and types of headers, and the tables of the store and frames of the wire: each name must be used somewhere in
the product outside its own declaration and definition. Tests are no callers: what only they use is code that nobody needs, with a test. A
simple tokenizer reads the sources; a name that two things share counts as used if one of them is, so the check misses some and blames few.
Exceptions stand in ALLOWED, each with its reason. Prints one line per name as file:line and exits 1 if there is any.

    scripts/check_callers.py [ROOT]       the tree to check; the one around this script by default
    scripts/check_callers.py --self-test  proves that callers are seen and their absence is found
"""

import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOMS = ["actors", "backends", "config", "interface", "knowledge", "runtime", "scripts"]
SKIPPED = re.compile(r"backends/(cpu-cpp|cuda|torch-cpu|torch-cuda|triton|triton-interpret)/|config/(problems|quickstart)/")
ENUMS = {"table", "frame_kind"}  # whose values must be used one by one
MACROS = {"KE_FIELDS", "KE_NAMES", "KE_MESSAGE", "KE_OPTIONAL_TAIL"}  # name a type, and are no use of it

# name -> why it stays without a caller that this script can see
ALLOWED = {
    "endpoints": "of a transport: where a listener stands whose port is *; without it no test could find one",
    "held_alone": "of machine_lock: its invariant, for its test",
    "holders": "of machine_lock: its invariant, for its test",
    "idle": "of blob_sender: the end of its test's loops",
    "islands": "of evolution: what the tests of the policy look at",
    "reach_kind": "of value_reach: its values are named without it",
    "retry_now": "of store_service: ends a pause in tests, which would wait for it else",
}

TOKEN = re.compile(r'[A-Za-z_]\w*|::|->|[{}()\[\];:,=<>~&*!]|[^\s\w]|\d[\w.\']*')
KEYWORDS = set("""if for while switch return sizeof catch alignof decltype static_assert noexcept requires operator new delete throw else do case
    default using typedef template typename class struct enum union public private protected const constexpr static inline virtual override final
    explicit friend auto void bool char int long unsigned signed float double namespace this nullptr true false alignas consteval constinit concept
    mutable extern co_await co_return assert defined offsetof thread_local""".split())


def stripped(text):
    """Without comments, preprocessor lines and the insides of strings; keeps line numbers."""
    blank = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])+'(?!\w)", lambda m: blank(m) or " ", text, flags=re.S)
    # What a macro's text names is used; the directive itself declares nothing.
    return re.sub(r"^[ \t]*#[ \t]*(include|pragma)[^\n]*", "", text, flags=re.M)


class Source:
    """The declarations and uses of one file: [(name, line, kind)], [(name, the enclosing definition or None)]."""

    def __init__(self, path, text):
        self.path, self.declared, self.uses = path, [], []
        # Types that a function type may begin with, which looks like a function: R(args).
        self.aliases = {a or b for a, b in re.findall(r"\busing\s+(\w+)\s*=|\b(?:class|typename)\s+(\w+)\s*[,>]", text)}
        self.tokens = [(m.group(0), m.start()) for m in TOKEN.finditer(text)]
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.read()

    def line(self, at):
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= at else (low, middle)
        return low + 1

    def closing(self, i):
        """Index of the parenthesis that closes the one at i."""
        depth = 0
        while i < len(self.tokens):
            word = self.tokens[i][0]
            depth += (word == "(") - (word == ")")
            if depth == 0:
                return i
            i += 1
        return i

    def read(self):
        scopes, head, i = [], [], 0  # scopes: (kind, name)
        while i < len(self.tokens):
            word, at = self.tokens[i]
            if word == "{":
                scopes.append(self.scope_of(head, scopes))
                head = []
            elif word == "}":
                if scopes:
                    scopes.pop()
                head = []
            elif word == ";":
                head = []
            elif word in MACROS and i + 1 < len(self.tokens) and self.tokens[i + 1][0] == "(":
                i = self.closing(i + 1)
                head = []
            else:
                if re.match(r"[A-Za-z_]", word) and word not in KEYWORDS:
                    self.name(word, at, i, head, scopes)
                head.append(word)
                if word == ":" and head[-2:-1] and head[-2] in ("public", "private", "protected"):
                    head = []
            i += 1

    @staticmethod
    def scope_of(head, scopes):
        if "namespace" in head:
            return ("namespace", "")
        outer = scopes[-1][0] if scopes else "namespace"
        for kind in ("class", "struct", "union", "enum"):
            if kind in head and "(" not in head and outer in ("namespace", "class"):
                at = len(head) - 1 - head[::-1].index(kind)
                names = [w for w in head[at + 1:] if re.match(r"[A-Za-z_]", w) and w not in KEYWORDS]
                return ("enum" if "enum" in head else "class", names[0] if names else "")
        if outer in ("namespace", "class") and "(" in head:
            before = head[:head.index("(")]
            return ("body", before[-1] if before else "")
        if "extern" in head:
            return ("namespace", "")
        return ("body", scopes[-1][1] if scopes else "")

    def name(self, word, at, i, head, scopes):
        outer, owner = scopes[-1] if scopes else ("namespace", "")
        after = self.tokens[i + 1][0] if i + 1 < len(self.tokens) else ""
        before = head[-1] if head else ""
        if outer in ("namespace", "class"):
            if before in ("class", "struct", "union") or (before == "enum"):
                if after in ("{", ":", "final") and "template" not in head[:1]:
                    return self.declared.append((word, self.line(at), "type"))
                if after in ("{", ":", "final", ";", "<"):
                    return None  # a template or a declaration ahead
            first = "(" not in head and "=" not in head
            pointer = i + 2 < len(self.tokens) and self.tokens[i + 2][0] == "*"  # T (*name)(args): a type, not a function
            if after == "(" and not pointer and first and before != "." and before != "->":
                member = before == "::"
                if word != owner and before != "~" and not (member and len(head) > 1 and head[-2] == word):
                    self.declared.append((word, self.line(at), "member" if member else "function"))
                return None
            if after == "::" and first and i + 3 < len(self.tokens) and self.tokens[i + 3][0] in ("(", "::") and self.defines(i):
                return None  # the class of a member that is defined here
        if outer == "enum" and owner in ENUMS and before in ("", ","):
            return self.declared.append((word, self.line(at), owner))
        # A function is used by a call, or where it is named as a value.
        left = self.tokens[i - 1][0] if i else ""
        behind = after in ("(", "<") or left in ("&", "::", "<") or (left in ("(", ",", "=", "{", "return", ":", "?") and after in (",", ")", ";", "}"))
        inside = {name for kind, name in scopes if kind in ("body", "class")}
        self.uses.append((word, behind, inside | ({head[head.index("(") - 1]} if outer in ("namespace", "class") and "(" in head[1:] else set())))

    def defines(self, i):
        """Whether `A::b(` at i begins the definition of a member: the list of parameters is followed by a body."""
        while i < len(self.tokens) and self.tokens[i][0] != "(":
            i += 1
        i = self.closing(i) + 1
        while i < len(self.tokens) and self.tokens[i][0] not in ("{", ";", "=", "}"):
            i += 1
        return i < len(self.tokens) and self.tokens[i][0] == "{"


def sources(root):
    for room in ROOMS:
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in {".hpp", ".cpp"} and file.is_file() and not SKIPPED.match(path):
                yield Source(path, stripped(file.read_text(errors="replace")))


def check(root, allowed=ALLOWED):
    all_sources = list(sources(root))
    named, called = defaultdict(int), defaultdict(int)
    for source in all_sources:
        for word, behind, inside in source.uses:
            named[word] += word not in inside
            called[word] += behind and word not in inside
    found, unneeded = {}, set(allowed)
    aliases = {word for source in all_sources for word in source.aliases}
    for source in all_sources:
        if source.path.endswith(".hpp"):
            for word, line, kind in source.declared:
                if (called if kind in ("function", "member") else named)[word] or word in aliases or word.isupper():
                    continue
                unneeded.discard(word)
                if word not in allowed and not word.startswith("~"):
                    found.setdefault(word, f"{source.path}:{line}: {word} ({kind}) has no caller in the product")
    for word in sorted(unneeded):
        found[word] = f"scripts/check_callers.py: {word} has a caller, or is gone: take it out of ALLOWED"
    return sorted(found.values())


def self_test():
    files = {
        "runtime/core/a.hpp": """
            namespace ke {
            struct used_type { int x = 0; };
            struct unused_type { unused_type(); int y; };
            KE_FIELDS(unused_type, x.y)
            enum class table { rows, dead_rows };
            inline int used_inline(int x) { return x; }
            inline int unused_recursive(int x) { return x ? unused_recursive(x - 1) : 0; }
            class thing {
            public:
              explicit thing(int x) : x_{x} {}
              int used_member() const { return used_inline(x_); }
              int unused_member() const { return x_; }
              void unused_defined(used_type);
            private:
              int x_;
            };
            template <class T> T unused_template(T x) { return x; }
            // unused_member() in a comment, and "unused_template" below in a string
            } // namespace ke
            """,
        "runtime/core/a.cpp": """
            #include "runtime/core/a.hpp"
            namespace ke {
            void thing::unused_defined(used_type) { (void)"unused_template(1)"; }
            int run() { thing t{3}; return t.used_member() + static_cast<int>(table::rows); }
            } // namespace ke
            """,
        "tests/core/a_test.cpp": "int main() { return ke::thing{1}.unused_member(); }",
    }
    expected = {"unused_type", "dead_rows", "unused_recursive", "unused_member", "unused_defined", "unused_template"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        said = lambda allowed: {re.search(r"(?:\d|\.py): (\w+)", line)[1] for line in check(root, allowed)}
        found, excused = said({}), said({"unused_type": "why", "used_inline": "why"})
    for name in sorted(expected ^ found):
        print(f"self-test: {name} was {'not blamed' if name in expected else 'blamed wrongly'}")
    if excused != (expected - {"unused_type"}) | {"used_inline"}:
        print("self-test: an exception does not excuse, or one without need is not told")
        return False
    return found == expected


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = check(root)
    print("\n".join(found) if found else "callers: everything that a header declares is used")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
