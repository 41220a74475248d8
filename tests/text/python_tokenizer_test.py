"""What Python's own tokenizer tells apart, the digest of a source tells apart; edits of comments, blank lines and blanks change none.

    python3 python_tokenizer_test.py KE_SOURCE_DIGEST [SEED]

Sources are the Python files of this tree and some lines made of everything that is hard to read. Seeded edits of them: tokens and lines
swapped, moved, doubled and dropped, indentation changed, characters put in and taken away. A failure prints the seed and both texts."""

import ast
import functools
import io
import random
import subprocess
import sys
import tokenize
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EDITS = 25  # of each kind, of each source

HARD = r'''# no encoding here
import math
def f(x, *, scale=1_000.5e-3, **more):
    """A text of # several
    lines, with "quotes" and a \\ in it."""
    a = x // 2 + x ** -1 @ x if x <= 3 else x >> 1
    for i in range(10):
        a //= 2
        if a != 7: continue
        b = {'#': "it's", "k": r'\d', f"{a!r:>{i}} {b['k']} {{}}": b'\x00', rb"\\": u'u'}
    else:
        a = [
          1, 2,   # two
    3]
    s = 'a' "b" \
        '# no'
    t = f'{a:#x}' f"""{a}
{s}""" ; z = not a
    c = 1
    lam = lambda *q: (yield)
    m: int = 0x1F + 0b1 - 0o7 + 1j + .5 + 1.
    while True:
        if (n := m) is not None:
            break
    return ...
@f
class K(object): pass
'''


@functools.lru_cache(2)
def tokens(source):
    """As a list of (type, text), without comments; INDENT and DEDENT are structure alone. None: Python refuses it."""
    try:
        found = []
        for t in tokenize.generate_tokens(io.StringIO(source).readline):
            if t.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
                continue
            text = "" if t.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE) else t.string
            found.append((t.type, text))
        return found
    except (tokenize.TokenError, SyntaxError):
        return None


@functools.lru_cache(2)
def meaning(source):
    """None: Python refuses it."""
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def pieces(source):
    """The source as tokens with what stands before them, so that joining them gives the source."""
    lines = source.splitlines(True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    out, at = [], 0
    for t in tokenize.generate_tokens(io.StringIO(source).readline):
        end = starts[t.end[0] - 1] + t.end[1] if t.end[0] <= len(lines) else len(source)
        begin = starts[t.start[0] - 1] + t.start[1] if t.start[0] <= len(lines) else len(source)
        out.append((t, source[at:begin], source[begin:end]))
        at = max(at, end)
    return out


def other_edit(r, source):
    lines = source.splitlines(True)
    kind = r.randrange(9)
    if kind == 0 and len(lines) > 1:  # a line moves
        line = lines.pop(r.randrange(len(lines)))
        lines.insert(r.randrange(len(lines) + 1), line)
    elif kind == 1:  # a line's indentation
        i = r.randrange(len(lines))
        bare = lines[i].lstrip(" \t")
        lines[i] = r.choice(["", " ", "  ", "    ", "        ", "\t", "    \t"]) + bare
    elif kind == 2:  # a block's indentation: into or out of a loop
        i = r.randrange(len(lines))
        j = min(len(lines), i + r.randrange(1, 5))
        for k in range(i, j):
            lines[k] = "    " + lines[k] if r.random() < 0.5 else lines[k].removeprefix("    ")
    elif kind == 3:
        lines.pop(r.randrange(len(lines)))
    elif kind == 4:
        i = r.randrange(len(lines))
        lines.insert(i, lines[i])
    elif kind == 5:  # two tokens swap
        parts = pieces(source)
        i, j = r.randrange(len(parts)), r.randrange(len(parts))
        texts = [list(p[1:]) for p in parts]
        texts[i][1], texts[j][1] = texts[j][1], texts[i][1]
        return "".join(a + b for a, b in texts)
    elif kind == 6:  # a token is lost, or said twice
        parts = [p[1] + p[2] for p in pieces(source)]
        i = r.randrange(len(parts))
        parts[i] = parts[i] * r.choice([0, 2])
        return "".join(parts)
    else:  # a character comes or goes
        at = r.randrange(len(source) + 1)
        if kind == 7:
            return source[:at] + r.choice(list("#'\"\\/ \t\n.:=-+*@()[]{}<>!0aefrbxJ_;,%~")) + source[at:]
        return source[:at] + source[at + 1 :]
    return "".join(lines)


def same_edit(r, source):
    """Comments, blank lines and blanks: between tokens, never within one, and not where two would become one."""
    out, depth, fields, last = [], 0, 0, tokenize.NEWLINE
    line_start = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENCODING)
    for t, before, text in pieces(source):
        name = tokenize.tok_name[t.type]  # since Python 3.12 an f-string is several tokens, but blanks in it may count
        fields += name.endswith("STRING_START") - name.endswith("STRING_END")
        if fields:
            pass
        elif t.type == tokenize.COMMENT:
            text = r.choice([text, "#", "# //* ' \"\"\" \\", ""])
        elif t.type == tokenize.OP:
            depth += (text in "([{") - (text in ")]}")
            if before.strip(" ") == "" and last not in line_start and r.random() < 0.3:
                before = " " * r.randrange(1, 3)
            if depth and text != "." and r.random() < 0.1:
                text += r.choice(["\n", "  # more\n", "\n\n   "])
            elif not depth and t.type == tokenize.OP and text in "=,+" and r.random() < 0.1:
                text += " \\\n "
        elif t.type == tokenize.NEWLINE and text == "\n" and r.random() < 0.2:
            text = r.choice(["  # said\n", "\n\n", "\n      # nothing\n", " \t\n", "\n\t\n", "\r\n"])
        out += [before, text]
        last = t.type
    return "".join(out)


class Digests:
    def __init__(self, program):
        self.program, self.waiting = program, []

    def want(self, source):
        self.waiting.append(source.encode())
        return len(self.waiting) - 1

    def all(self):
        said = b"".join(b"python %d\n%s" % (len(s), s) for s in self.waiting)
        out = subprocess.run([self.program], input=said, stdout=subprocess.PIPE, check=True).stdout.decode().split()
        assert len(out) == len(self.waiting), (len(out), len(self.waiting))
        return out


def main():
    warnings.filterwarnings("ignore")  # of sources that nobody would write
    digests = Digests(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    r = random.Random(seed)
    files = sorted(p for d in ("tests", "scripts", "backends", "config") for p in (ROOT / d).rglob("*.py") if p.stat().st_size < 8_000)
    sources = [HARD] * 4 + [p.read_text() for p in r.sample(files, min(24, len(files)))]
    pairs = []  # (blanks alone, source, its digest, edited, its digest)
    for source in sources:
        assert tokens(source) is not None and meaning(source) is not None
        of = digests.want(source)
        for i in range(EDITS):
            text = source
            for _ in range(r.choice([1, 1, 1, 2, 3])):
                if tokens(text) is not None:
                    text = other_edit(r, text) or "\n"
            pairs.append((False, source, of, text, digests.want(text)))
            text = same_edit(r, source)
            pairs.append((True, source, of, text, digests.want(text)))
    found = digests.all()
    counts = {"apart": 0, "same": 0, "same by chance": 0, "refused by Python": 0}
    for benign, source, of, text, other in pairs:
        a, b = tokens(source), tokens(text)
        equal = found[of] == found[other]
        if benign:
            assert a == b, "the test's own edit is none of blanks:\n" + text
        refused = b is None or meaning(text) is None
        if refused and not benign:
            counts["refused by Python"] += 1
        if b is None:
            continue
        wrong = None
        if a != b or (not refused and meaning(text) != meaning(source)):
            counts["apart"] += 1
            wrong = "told apart by Python, one to the digest" if equal else None
        elif benign:
            counts["same"] += 1
            wrong = None if equal else "the same tokens, two digests"
        else:
            counts["same by chance"] += 1
        if wrong:
            first = next((n for n, (x, y) in enumerate(zip(source.splitlines(), text.splitlines()), 1) if x != y), 0)
            sys.exit(f"seed {seed}, from line {first}: {wrong}\n--- source\n{source}\n--- edited\n{text}")
    print(f"{len(sources)} sources, {len(pairs)} edits: " + ", ".join(f"{v} {k}" for k, v in counts.items()))
    assert counts["apart"] > len(pairs) // 5 and counts["same"] > len(pairs) // 4, counts


if __name__ == "__main__":
    main()
