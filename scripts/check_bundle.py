#!/usr/bin/env python3
"""Checks that an unpacked bundle needs of its host what it may need, and nothing of the machine that built it.

 - No symbol of a glibc newer than 2.36 (Debian 12); a library of the bundle has every symbol version that another one asks of it.
 - Every library lies in the bundle, found by a search path that begins with $ORIGIN, or is glibc's; the programs that load candidates take the
   host's libstdc++ instead, of GCC 12 or newer, and no library of the bundle. So no process has two of them.
 - No glibc in it, no RUNPATH (it would hide a program's search path from the libraries of libraries), no library that nobody needs.
 - No file holds a path of the build machine. Each copied library is named in share/doc/ke-runtime/third-party/README.
 - The archive has at most 30 MB.

Prints one line per violation and exits 1 if there is any.

    scripts/check_bundle.py FOLDER [--archive FILE] [--foreign PATH]...   PATH: a folder of the build machine, whose name may be in no file
    scripts/check_bundle.py --self-test                                   proves that each rule can fail
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 30_000_000
# glibc: the host's, always. What a process loads by name when it is asked for (libresolv...) belongs to it.
GLIBC = {f"lib{name}" for name in ("c.so.6", "m.so.6", "pthread.so.0", "dl.so.2", "rt.so.1", "resolv.so.2", "util.so.1")} | {"ld-linux-x86-64.so.2"}
NEWEST = {"GLIBC": (2, 36)}
# Of programs without a search path: the runtime of GCC 12, which every host with a newer compiler has, too.
GCC = {"libstdc++.so.6", "libgcc_s.so.1"}
NEWEST_OF_GCC = {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
NOTICES = "share/doc/ke-runtime/third-party/README"


def is_library(path):
    """Somebody else's; what lies beside the programs is ours, and loaded by name."""
    return ".so" in path.name and path.parent.name != "bin"


class Elf:
    """What the dynamic section of a file says."""

    def __init__(self, path):
        text = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
        self.needed = re.findall(r"^  NEEDED +(\S+)", text, re.M)
        self.rpath = re.findall(r"^  RPATH +(\S+)", text, re.M)
        self.runpath = re.findall(r"^  RUNPATH +(\S+)", text, re.M)
        self.wants = {}  # library -> versions
        for library, lines in re.findall(r"^  required from (\S+):\n((?:    .*\n)+)", text, re.M):
            self.wants[library] = {line.split()[-1] for line in lines.splitlines()}
        gives = re.search(r"^Version definitions:\n((?:\d.*\n|\t.*\n)+)", text, re.M)
        self.gives = set(re.findall(r"^\d+ 0x\S+ 0x\S+ (\S+)", gives.group(1), re.M)) if gives else set()


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def too_new(version, newest):
    """GLIBC_2.36 is (2, 36) of GLIBC. Names without a number belong to one build (GLIBC_PRIVATE), but that of relative relocations, of 2.36."""
    family, _, number = version.partition("_")
    if family not in newest or not re.fullmatch(r"[\d.]+", number):
        return version != "GLIBC_ABI_DT_RELR"
    return tuple(map(int, number.split("."))) > newest[family]


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
        self.elfs = {p: Elf(p) for p in self.files if is_elf(p)}
        self.used = set()
        self.found = []

    def say(self, path, text):
        line = f"{path.relative_to(self.folder)}: {text}"
        if line not in self.found:
            self.found.append(line)

    def search_path(self, program):
        """The folders in which the program's libraries are looked for; empty: the host's alone."""
        folders = []
        for place in (p for value in self.elfs[program].rpath for p in value.split(":")):
            if not re.match(r"\$ORIGIN(/|$)", place):
                self.say(program, f"looks for libraries in {place}, which does not move with it; begin with $ORIGIN")
                continue
            real = Path(place.replace("$ORIGIN", str(program.parent))).resolve()
            if self.folder not in real.parents:
                self.say(program, f"looks for libraries in {place}, outside of the bundle")
            folders.append(real)
        return folders

    def walk(self, program, newest):
        """All that one process of this program loads."""
        folders = self.search_path(program)
        todo, seen = [program], {program}
        while todo:
            file = todo.pop()
            elf = self.elfs[file]
            for name in elf.needed:
                ours = next((f / name for f in folders if f / name in self.elfs), None)
                wants = elf.wants.get(name, set())
                if ours:
                    self.used.add(ours)
                    for version in sorted(wants - self.elfs[ours].gives):
                        self.say(file, f"wants {version} of {name}, which the bundle's does not have")
                    if ours not in seen:
                        seen.add(ours)
                        todo.append(ours)
                elif name in GLIBC:
                    for version in sorted(v for v in wants if too_new(v, newest)):
                        self.say(file, f"wants {version} of {name}, newer than {'.'.join(map(str, newest['GLIBC']))}")
                elif name in GCC and not folders:
                    for version in sorted(v for v in wants if too_new(v, NEWEST_OF_GCC)):
                        self.say(file, f"wants {version} of {name}, newer than GCC 12's")
                else:
                    self.say(file, f"needs {name}, which is neither in the bundle nor glibc's")

    def check_programs(self, newest):
        for path, elf in self.elfs.items():
            if elf.runpath:
                self.say(path, f"has a RUNPATH ({elf.runpath[0]}); make it an RPATH (--disable-new-dtags, patchelf --force-rpath)")
            if path.name in GLIBC:
                self.say(path, "is glibc's: only the host's own fits its loader")
            if not is_library(path):
                self.walk(path, newest)
        for path in self.elfs:
            if is_library(path) and path not in self.used:
                self.say(path, "is a library that no program of the bundle needs")

    def check_texts(self, foreign):
        notices = self.folder / NOTICES
        named = {line.split(" ")[0] for line in notices.read_text().splitlines()} if notices.exists() else set()
        for path in self.elfs:
            if (is_library(path) or path.name == "bwrap") and path.name not in named:
                self.say(path, f"is not named in {NOTICES}")
        for path in self.files:
            content = path.read_bytes()
            for place in foreign:
                if place.encode() in content:
                    self.say(path, f"holds {place}, a path of the machine that built it")


def check(folder, archive=None, foreign=(), newest=None, most=MOST_BYTES):
    bundle = Bundle(folder.resolve())
    if not bundle.elfs:
        return [f"{folder}: no program in it; give the folder that was unpacked"]
    bundle.check_programs(newest or NEWEST)
    bundle.check_texts(foreign)
    if archive and (size := archive.stat().st_size) > most:
        bundle.found.append(f"{archive}: {size / 1e6:.1f} MB, at most {most / 1e6:.0f}")
    return bundle.found


def built(command, source, output):
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*command, "-x", "c++", "-", "-o", str(output)], input=source, text=True, check=True)


class Sample:
    """A folder with a program, its library and the notices; each breaks a rule on demand."""

    def __init__(self, folder, flags=(), program="int answer(); int main() { return answer(); }", link=("-Wl,-rpath,$ORIGIN/../lib",)):
        self.folder = Path(folder)
        self.library = self.folder / "lib/libanswer.so"
        built(["g++", "-shared", "-fPIC", *flags], "int answer() { return 42; }", self.library)
        self.program = self.folder / "bin/program"
        self.program.parent.mkdir()
        source = self.folder / "program.o.cpp"
        source.write_text(program)
        subprocess.run(["g++", str(source), "-o", str(self.program), f"-L{self.library.parent}", "-lanswer", "-Wl,--disable-new-dtags", *link], check=True)
        source.unlink()
        self.notices = self.folder / NOTICES
        self.notices.parent.mkdir(parents=True)
        self.notices.write_text("libanswer.so package\n")


def self_test():
    def expect(found, *words):
        if not found or not all(any(word in line for line in found) for word in words):
            raise SystemExit(f"self-test: {words} not in {found}")

    def broken(act, *words, **more):
        with tempfile.TemporaryDirectory() as folder:
            expect(check(act(folder).folder, **more), *words)

    def changed(folder, change):
        sample = Sample(folder)
        change(sample)
        return sample

    with tempfile.TemporaryDirectory() as folder:
        if found := check(Sample(folder).folder, foreign=["/no/such/place"]):
            raise SystemExit(f"self-test: a good one is refused: {found}")
        expect(check(Path(folder), newest={"GLIBC": (2, 2)}), "GLIBC_2.34 of libc.so.6, newer than 2.2")
        expect(check(Path(folder), archive=Path(__file__), most=100), "MB, at most")
    broken(lambda f: Sample(f, link=["-Wl,-rpath,/usr/local/lib:$ORIGIN/../lib"]), "/usr/local/lib, which does not move")
    broken(lambda f: Sample(f, link=["-Wl,-rpath,$ORIGIN/../../lib"]), "outside of the bundle", "needs libanswer.so")
    broken(lambda f: Sample(f, link=["-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/../lib"]), "has a RUNPATH")
    broken(lambda f: Sample(f, link=[]), "needs libanswer.so", "no program of the bundle needs")
    broken(lambda f: Sample(f, program="#include <string>\nint answer(); int main() { return std::string(answer(), 'x').size() > 3; }"), "needs libstdc++.so.6")
    broken(lambda f: changed(f, lambda s: s.notices.write_text("")), "is not named in")
    broken(lambda f: changed(f, lambda s: s.library.rename(s.library.with_name("libc.so.6"))), "is glibc's")
    broken(lambda f: changed(f, lambda s: (s.folder / "notes.txt").write_text("built in /home/somebody/tree")), "a path of the machine", foreign=["/home/somebody/tree"])
    broken(older, "wants ANSWER_2 of libanswer.so")
    with tempfile.TemporaryDirectory() as folder:
        expect(check(Path(folder)), "no program in it")
    assert too_new("GLIBCXX_3.4.31", NEWEST_OF_GCC) and not too_new("GLIBCXX_3.4.30", NEWEST_OF_GCC) and not too_new("GLIBC_ABI_DT_RELR", NEWEST)
    assert too_new("GLIBC_PRIVATE", NEWEST) and too_new("GLIBC_2.38", NEWEST) and not too_new("GLIBC_2.4", NEWEST)


def older(folder):
    """The program was linked with a library of versions, and the bundle holds one without."""
    with tempfile.NamedTemporaryFile("w") as versions:
        versions.write("ANSWER_2 { global: *answer*; };\n")
        versions.flush()
        sample = Sample(folder, flags=[f"-Wl,--version-script={versions.name}"])
    built(["g++", "-shared", "-fPIC"], "int answer() { return 41; }", sample.library)
    return sample


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--archive", type=Path)
    parser.add_argument("--foreign", action="append", default=[])
    asked = parser.parse_args()
    found = check(asked.folder, asked.archive, asked.foreign)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
