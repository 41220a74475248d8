#!/usr/bin/env python3
"""The red team on a device: exploits and honest look-alikes of tests/redteam/gpu, each judged by the real `ke-runtime eval`.

    scripts/gpu/redteam.py --programs DIR [--work DIR] [--only WORD...] [--backend torch-cuda|cuda] [--honest|--exploits] [--shard I/N]
                           [--parallel N] [--timed_parallel N] [--budget_s S] [--strict] [--out FILE] [--list]

The first docstring of a candidate (in CUDA its first comment) says, as TOML, what an honest evaluator may answer; the README of that folder
explains the keys. One JSON object a line, then a summary. Exit code 1 where an exploit is paid more than its work is worth, or is called right
where it can't be, or an honest candidate is refused; 77 where there is no device. Needs the programs (a build folder or the
bundle), for torch-cuda a Python whose PyTorch has CUDA (KE_PYTHON), for cuda NVRTC and a C++ compiler. Those that are not timed run N at
once, the others one after another; what the budget does not reach is listed as `not run`."""

import argparse
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "tests/redteam/gpu"
BACKENDS = {".py": "torch-cuda", ".cu": "cuda"}
DEFAULT_PROBLEM = {".py": "softmax_rows", ".cu": "cu_softmax"}
REFUSALS = ["incorrect", "nondeterministic", "cheating_suspected", "policy_violation", "build_failed", "crashed", "timeout",
            "resource_exceeded"]
KEYS = {"trick", "entries", "accept", "control", "problem", "timed", "plan", "most_speedup", "least_speedup", "alone", "needs_compiler",
        "breach"}
LIMIT_S = 120  # of one evaluation
MOST_LEFT, RETURN_S = 256 << 20, 10  # bytes of the device that others may take meanwhile; seconds until what ended has given back its own
TRIES = 3      # of an honest one that stays noisy
MOST_TEXT = 400_000
SKIPPED = 77


class Entry:
    """One candidate and what may be said of it."""

    def __init__(self, path):
        text = path.read_text()
        match = re.match(r"/\* redteam\n(.*?)\*/\n", text, re.S) or re.match(r'"""redteam\n(.*?)"""\n', text, re.S)
        if not match:
            raise SystemExit(f"{path}: the first lines must be the docstring `redteam` (in CUDA the comment) with its keys")
        try:
            about = tomllib.loads(match.group(1))
        except tomllib.TOMLDecodeError as problem:
            raise SystemExit(f"{path}: {problem}") from None
        unknown = set(about) - KEYS
        if unknown or not {"trick", "accept"} <= set(about):
            raise SystemExit(f"{path}: keys are {sorted(KEYS)}; unknown: {sorted(unknown)}")
        self.name, self.suffix, self.backend = path.stem, path.suffix, BACKENDS[path.suffix]
        self.source = whole(text[match.end():])
        self.trick, self.control = about["trick"], about.get("control", False)
        self.timed, self.plan = about.get("timed", False), about.get("plan", "rank")
        self.accept = [state for word in about["accept"] for state in (REFUSALS if word == "refused" else [word])]
        if self.timed and "noisy" not in self.accept:
            self.accept.append("noisy")
        self.most, self.least = about.get("most_speedup", None if self.control else 1.15), about.get("least_speedup")
        self.alone, self.needs_compiler = about.get("alone", False), about.get("needs_compiler", False)
        self.breach = about.get("breach", [])
        self.problem = FOLDER / "problems" / about.get("problem", DEFAULT_PROBLEM[path.suffix])
        if not self.problem.exists():
            raise SystemExit(f"{path}: no problem {self.problem.name}")


def whole(source):
    """A source with the shared text that it names in the place of the line that does so: a candidate is one file."""
    def text(name):
        return re.sub(r'\A(""".*?"""|/\*.*?\*/)\n', "", (FOLDER / name).read_text(), flags=re.S)
    source = re.sub(r"^from (honest|hunt) import .*\n", lambda m: text(m.group(1) + ".py") + "\n", source, flags=re.M)
    return re.sub(r'^#include "rows.cuh"\n', lambda _: text("rows.cuh"), source, flags=re.M)


def corpus(options):
    found = [Entry(p) for p in sorted((FOLDER / "candidates").iterdir()) if p.suffix in BACKENDS]
    found = [e for e in found if not options.only or any(word in e.name for word in options.only)]
    found = [e for e in found if options.backend in (None, e.backend)]
    found = [e for e in found if not (options.honest and not e.control) and not (options.exploits and e.control)]
    found.sort(key=lambda e: (e.timed, e.alone))  # so that shards have as many slow ones each
    shard, shards = (int(v) for v in options.shard.split("/"))
    if not 1 <= shard <= shards:
        raise SystemExit("--shard is I/N with I from 1 to N")
    return found[shard - 1::shards]


def devices():
    """How many devices libcuda counts, in a process of its own: this one opens none."""
    code = ("import ctypes; n = ctypes.c_int(); cu = ctypes.CDLL('libcuda.so.1'); "
            "print(n.value if cu.cuInit(0) == 0 and cu.cuDeviceGetCount(ctypes.byref(n)) == 0 else 0)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return int(done.stdout) if done.stdout.strip().isdigit() else 0


def used_bytes():
    """Of the first device, over all processes; None where libnvidia-ml can't say."""
    class Memory(ctypes.Structure):
        _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    handle, memory = ctypes.c_void_p(), Memory()
    if nvml.nvmlInit_v2():
        return None
    try:
        if nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle)) or nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)):
            return None
        return memory.used
    finally:
        nvml.nvmlShutdown()


class Team:
    def __init__(self, options, work):
        self.runtime, self.work = str(options.programs.resolve() / "ke-runtime"), Path(work)
        self.until = time.monotonic() + options.budget_s
        self.options = options

    def seconds_left(self):
        return self.until - time.monotonic()

    def evaluate(self, entry):
        """The verdict, and its text."""
        folder = Path(tempfile.mkdtemp(prefix=entry.name + "-", dir=self.work))
        (folder / f"candidate{entry.suffix}").write_text(entry.source)
        problem = entry.problem if entry.problem.suffix == ".py" else entry.problem / "problem.toml"
        argv = [self.runtime, "eval", str(problem), f"candidate{entry.suffix}", "--json", "--backend", entry.backend]
        argv += ["--sandbox", self.options.sandbox]
        argv += ["--plan", entry.plan] if entry.timed else ["--untimed"]
        baseline = entry.problem / "baseline.cu"
        if entry.timed and baseline.is_file():  # else the reference, which runs on the host
            argv += ["--baseline", str(baseline)]
        process = subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True)
        try:
            out, err = process.communicate(timeout=max(1, min(LIMIT_S, self.seconds_left())))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            short = "the budget was spent" if self.seconds_left() <= 0 else f"no verdict within {LIMIT_S} s"
            return {"state": "not run" if self.seconds_left() <= 0 else "none", "reason": short}, out + err
        try:
            return json.loads(out), out
        except ValueError:
            return {"state": "none", "reason": f"exit code {process.returncode}: {err.strip()[-400:]}"}, out + err

    def judged(self, entry):
        """One line of the result."""
        begun, tries = time.monotonic(), 0
        while True:
            if self.seconds_left() < 5:
                verdict, text = {"state": "not run", "reason": "the budget was spent"}, ""
                break
            verdict, text = self.evaluate(entry)
            tries += 1
            if verdict["state"] != "noisy" or not entry.control or tries == TRIES:
                break
        timing = verdict.get("timing") or {}
        ci = timing.get("ci95") or [None, None]
        line = {"name": entry.name, "backend": entry.backend, "kind": "honest" if entry.control else "exploit", "expected": told(entry),
                "verdict": verdict["state"], "reason": (verdict.get("reason") or "")[:200], "speedup": timing.get("speedup"), "low": ci[0],
                "high": ci[1], "most": entry.most if entry.timed else None, "seconds": round(time.monotonic() - begun, 1)}
        faults = faults_of(entry, verdict, text)
        other = verdict["state"] not in entry.accept + ["not run"]  # refused, but not as its file says
        return {**line, "right": not faults, **({"faults": faults} if faults else {"unexpected": True} if other else {})}


def told(entry):
    """What it may be, in one word for all refusals."""
    rest = [state for state in entry.accept if state not in REFUSALS]
    some = [state for state in entry.accept if state in REFUSALS]
    return (["refused"] if len(some) == len(REFUSALS) else some) + rest


def faults_of(entry, verdict, text):
    """What is wrong with an answer, in words."""
    state, timing = verdict["state"], verdict.get("timing") or {}
    if state == "not run":
        return []
    refused = not entry.control and state in REFUSALS and state not in entry.breach
    faults = [] if state in entry.accept or refused else [f"{state} is none of {', '.join(told(entry))}"]
    if state == "correct" and entry.timed:
        low = verdict.get("score") or (timing.get("ci95") or [0])[0] or 0
        if entry.most and low > entry.most:
            faults.append(f"paid {low:.3f}, its work is worth {entry.most} at most")
        if entry.least and timing.get("speedup", 0) < entry.least:
            faults.append(f"speedup {timing.get('speedup')}, at least {entry.least}")
        checked = verdict.get("correctness") or {}
        if checked.get("timed_calls") != checked.get("timed_calls_checked"):
            faults.append("a timed call was not checked")
    if state not in ("correct", "noisy") and verdict.get("score"):
        faults.append(f"{state}, and has a score")
    if len(text) > MOST_TEXT or len(verdict.get("reason") or "") > 1000:
        faults.append("a candidate's text is not bounded")
    return faults


def everything(team, entries, out):
    """Each once; the lines of all."""
    def tell(line):
        text = json.dumps(line)
        print(text, flush=True)
        if out:
            print(text, file=out, flush=True)
        return line
    before = used_bytes()
    together = [e for e in entries if not e.timed and not e.alone]
    timed = [e for e in entries if e.timed and not e.alone]
    lines = []
    for some, at_once in ((together, team.options.parallel), (timed, team.options.timed_parallel), ([e for e in entries if e.alone], 1)):
        with ThreadPoolExecutor(max(1, at_once)) as pool:
            lines += [tell(line) for line in pool.map(team.judged, some)]
    missing = [line["name"] for line in lines if line["verdict"] == "not run"]
    wrong = [line["name"] for line in lines if not line["right"]]
    unexpected = [line["name"] for line in lines if line.get("unexpected")]
    until = time.monotonic() + RETURN_S
    while True:  # what was killed at last takes a while to end
        after = used_bytes()
        if before is None or after is None or after - before <= MOST_LEFT or time.monotonic() > until:
            break
        time.sleep(0.2)
    left = after - before if before is not None and after is not None else None
    if left is not None and left > MOST_LEFT:
        wrong.append(f"{left >> 20} MiB of the device's memory were left behind")
    honest = [line for line in lines if line["kind"] == "honest"]
    tell({"candidates": len(lines), "honest": len(honest), "honest_refused": sum(not line["right"] for line in honest),
          "exploits_wrong": sum(not line["right"] for line in lines if line["kind"] == "exploit"), "wrong": wrong, "unexpected": unexpected,
          "not_run": missing, "device_bytes_left": left, "seconds": round(team.options.budget_s - team.seconds_left())})
    return bool(wrong or team.options.strict and unexpected)


def present(programs, entries):
    """Those whose backend this machine has; `doctor` says so."""
    said = subprocess.run([str(programs.resolve() / "ke-runtime"), "doctor"], capture_output=True, text=True).stdout
    kept = []
    for backend in BACKENDS.values():
        mine = [e for e in entries if e.backend == backend]
        if mine and not re.search(rf"^ok\s+backend\s+{backend}\b", said, re.M):
            line = next((row.strip() for row in said.splitlines() if re.search(rf"\b{backend}\b", row)), "doctor does not name it")
            print(f"redteam: the backend {backend} is not ready, so its {len(mine)} candidates are NOT run: {line}", file=sys.stderr)
        else:
            kept += mine
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--work", type=Path, help="folder for sources and logs; default a temporary one")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="names that hold one of these words")
    parser.add_argument("--backend", choices=BACKENDS.values())
    parser.add_argument("--honest", action="store_true", help="the honest ones alone")
    parser.add_argument("--exploits", action="store_true", help="the exploits alone")
    parser.add_argument("--strict", action="store_true", help="an exploit that is refused otherwise than its file says is wrong, too")
    parser.add_argument("--compiler", action="store_true", help="also those that need a compiler in the sandbox (nvcc, gcc)")
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--timed_parallel", type=int, default=1, help="more start beside one that is measured; the device is one judge's")
    parser.add_argument("--budget_s", type=float, default=540)
    parser.add_argument("--sandbox", default="full", choices=["full", "best", "none"])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    entries = corpus(options)
    if options.list:
        for e in entries:
            print(f"{e.backend:10} {e.name:32} {'/'.join(told(e)):40} {e.trick}")
        print(f"{len(entries)} candidates, {sum(e.control for e in entries)} of them honest")
        return 0
    if not options.programs:
        parser.error("--programs names the folder of ke-runtime")
    if not devices():
        print("redteam: no NVIDIA device here (libcuda counts none): nothing is run", file=sys.stderr)
        return SKIPPED
    entries = present(options.programs, [e for e in entries if options.compiler or not e.needs_compiler])
    if not entries:
        return SKIPPED
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="redteam-", dir=options.work) as work:
        os.chmod(work, 0o755)
        out = open(options.out, "w") if options.out else None
        try:
            return 1 if everything(Team(options, work), entries, out) else 0
        finally:
            if out:
                out.close()


if __name__ == "__main__":
    sys.exit(main())
