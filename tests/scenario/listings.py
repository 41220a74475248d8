"""Complete candidates in the knowledge base: a fence of two words, a language and a problem of tests/listings or config/problems."""

import re
from pathlib import Path
from typing import NamedTuple

from program import ROOT

FENCE = re.compile(r"^```(python|cuda|c\+\+) (\w+)\n(.*?)^```$", re.M | re.S)
SUFFIX = {"python": ".py", "cuda": ".cu", "c++": ".cpp"}
REFERENCE = {"python": "reference.py", "cuda": "reference.cpp", "c++": "reference.cpp"}


class Listing(NamedTuple):
    page: str
    language: str
    problem: Path
    source: str

    def write(self, folder):
        """The candidate's file there, and its problem's."""
        file = Path(folder) / (Path(self.page).stem + SUFFIX[self.language])
        file.write_text(self.source, encoding="utf-8")
        return self.problem / "problem.toml", file


def problem_of(name, language):
    for folder in (ROOT / "tests/listings" / name, ROOT / "config/problems" / name):
        if (folder / REFERENCE[language]).is_file():
            return folder
    raise FileNotFoundError(f"no problem {name} with a {REFERENCE[language]}")


def listings():
    found = []
    for page in sorted((ROOT / "knowledge/hardware").rglob("*.md")):
        for language, name, source in FENCE.findall(page.read_text(encoding="utf-8")):
            found.append(Listing(page.relative_to(ROOT).as_posix(), language, problem_of(name, language), source))
    return found
