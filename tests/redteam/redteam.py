#!/usr/bin/env python3
"""The red team: hostile candidates and honest ones that look hostile, judged by the real `ke-runtime eval`.

  redteam.py [--only NAME...] [--parallel N] [--list]    every candidate once, exit code 1 if a judgement is not an honest one; a table on a
                                                         terminal or with --table, else only the lines of those that failed
  redteam.py --backend torch-cpu                         those in Python alone (or cpu-cpp: those in C++)
  redteam.py --runs N [--seed S]                         N hostile evaluations at random, a control after every 25

Each file of candidates/ says in its first comment what an honest evaluator may answer; README.md explains the keys. Nothing of a run may
be left behind: no process, no mount, no shared memory, no file. KE_RUNTIME names the program; KE_SCENARIO_SLACK stretches its deadlines.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scenario"))
import program  # noqa: E402  how processes are found and waited for

LIMITS = {"build_s": 15, "run_s": 40, "call_s": 3, "memory_bytes": 768 << 20, "scratch_bytes": 16 << 20, "log_bytes": 64 << 10,
          "processes": 32, "descriptors": 64, "inodes": 2048}
LOAD_S = 10  # the judge's limit for loading an object
SKIPPED = 77
BACKENDS = {".cpp": "cpu-cpp", ".py": "torch-cpu"}
KEYS = {"trick", "entries", "accept", "control", "problem", "timed", "plan", "most_speedup", "least_speedup", "says_nothing_of", "answers",
        "runs"}


class Entry:
    """One candidate and what may be said of it."""

    def __init__(self, path):
        text = path.read_text()
        match = re.match(r"/\* redteam\n(.*?)\*/\n", text, re.S) or re.match(r'"""redteam\n(.*?)"""\n', text, re.S)
        if not match:
            raise SystemExit(f"{path}: the first lines must be the comment `/* redteam` (in Python the docstring) with its keys")
        about = tomllib.loads(match.group(1))
        unknown = set(about) - KEYS
        if unknown or not {"trick", "entries", "accept"} <= set(about):
            raise SystemExit(f"{path}: keys are {sorted(KEYS)}; unknown: {sorted(unknown)}")
        self.name = path.stem
        self.suffix, self.backend = path.suffix, BACKENDS[path.suffix]
        self.source = text[match.end():]
        self.trick, self.entries, self.accept = about["trick"], about["entries"], about["accept"]
        self.control = about.get("control", False)
        self.problem = about.get("problem", "wave" if self.suffix == ".cpp" else "py_softmax.py")
        self.timed = about.get("timed", False)
        self.plan = about.get("plan", "rank")
        self.most = about.get("most_speedup", 1.1)
        self.least = about.get("least_speedup")
        self.silent = about.get("says_nothing_of", [])
        self.answers = about.get("answers")  # the limit that this one runs into: call, load or build
        self.runs = about.get("runs", 1)


def corpus(names=(), backends=tuple(BACKENDS.values())):
    found = [Entry(p) for p in sorted((HERE / "candidates").iterdir()) if BACKENDS.get(p.suffix) in backends]
    unknown = set(names) - {e.name for e in found}
    if unknown:
        raise SystemExit(f"no candidate {', '.join(sorted(unknown))}; --list names them")
    return [e for e in found if not names or e.name in names]


class Team:
    """A folder of its own, the backend with small limits, and the evaluations in it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ke-redteam-"))
        os.chmod(self.folder, 0o755)
        for sub in ("tmp", "home", "cache", "sources"):
            (self.folder / sub).mkdir()
        self.canary = f"canary-{random.randrange(1 << 60):x}"
        self.canary_file = self.folder / "canary.txt"  # readable for everybody outside of a sandbox
        self.canary_file.write_text(self.canary)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "LANG": "C.UTF-8",
                    "KE_TEST_KEY": self.canary}
        if "KE_PYTHON" in os.environ:
            self.env["KE_PYTHON"] = os.environ["KE_PYTHON"]
        for name in BACKENDS.values():
            backend = self.folder / "backends" / name
            shutil.copytree(HERE.parents[1] / "backends" / name, backend, ignore=shutil.ignore_patterns("__pycache__"))
            text = (backend / "backend.toml").read_text()
            small = "[limits]\n" + "".join(f"{k} = {v}\n" for k, v in LIMITS.items())
            text, replaced = re.subn(r"^\[limits\]\n(?:[^\[\n].*\n|\n)*", small, text, flags=re.M)
            if replaced != 1:
                raise SystemExit(f"backend.toml of {name} has no [limits] to be made small")
            (backend / "backend.toml").write_text(text)
        self.before = self.surroundings()
        self.lock = threading.Lock()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def surroundings(self):
        """What a candidate might leave on the machine beside processes."""
        def lines(path):
            try:
                return sorted(Path(path).read_text().splitlines())
            except OSError:
                return []
        segments = [" ".join(line.split()[:2]) for line in lines("/proc/sysvipc/shm")]
        places = [f"{place}/{name}" for place in ("/", "/dev/shm", "/dev/mqueue", "/etc", "/usr/lib", "/root", "/home", "/var/tmp")
                  if os.path.isdir(place) for name in os.listdir(place) if "ke-" in name or place == "/dev/shm"]
        markers = [str(p) for p in Path("/tmp").glob("ke-marker*")]
        return {"mounts": lines("/proc/self/mounts"), "segments": segments, "files": sorted(places + markers)}

    def left_behind(self):
        """What is there now that was not at the start; processes are given the time that their end takes."""
        found = [f"process {p}" for p in program.wait_for_no_orphans(3 * program.SLACK)]
        now = self.surroundings()
        for kind, lines in now.items():
            found += [f"{kind}: {line}" for line in lines if line not in self.before[kind]]
        found += [f"file {p}" for p in (self.folder / "tmp").glob("*")]
        return found

    def filled(self, text):
        return text.replace("@CANARY@", self.canary).replace("@CANARY_FILE@", str(self.canary_file))

    def command(self, entry, sources):
        argv = [program.RUNTIME, "eval", str(HERE / "problems" / entry.problem), *map(str, sources), "--json", "--backend",
                entry.backend, "--backend-path", str(self.folder / "backends"), "--cache", str(self.folder / "cache"), "--plan", entry.plan]
        return argv if entry.timed else argv + ["--untimed"]

    def evaluate(self, entry):
        """The verdict, its text, and the seconds that it took."""
        return self.evaluate_all([entry])[0]

    def evaluate_all(self, entries):
        """Of entries that need the same command: one process judges all, one after the other, as a worker does."""
        sources = []
        for entry in entries:
            sources.append(self.folder / f"sources/{entry.name}-{threading.get_ident()}{entry.suffix}")
            sources[-1].write_text(self.filled(entry.source).replace('#include "raw.h"', (HERE / "raw.h").read_text()))
        with self.lock, (self.folder / f"errors-{threading.get_ident()}").open("w+") as errors:
            process = subprocess.Popen(self.command(entries[0], sources), cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace")
            program._started.add(process.pid)
            errors = errors.name
        limit = 240 * program.SLACK * len(entries)
        watch = threading.Timer(limit, process.kill)
        watch.start()
        answers, begun = [], time.monotonic()
        for line in process.stdout:
            took, begun = time.monotonic() - begun, time.monotonic()
            try:
                answers.append((json.loads(line), line, took))
            except ValueError:
                answers.append(({"state": f"no verdict but {line[:300]}"}, line, took))
        process.wait()
        killed = watch.finished.is_set()
        watch.cancel()
        program._started.discard(process.pid)
        said = Path(errors).read_text(errors="replace")
        why = f"within {limit:.0f} s" if killed else f"exit code {process.returncode}: {said[:300]}"
        missing = ({"state": f"no verdict, {why}"}, "", time.monotonic() - begun)
        answers += [missing] * (len(entries) - len(answers))
        return [(verdict, text + said, took) for verdict, text, took in answers]


def judged(team, entry, out):
    """What is wrong with an answer, in words; empty if nothing."""
    verdict, text, _ = out
    faults = []
    state, score = verdict["state"], verdict.get("score")
    accept = entry.accept + (["noisy"] if entry.timed else [])  # of the controls few may be: noise_faults
    if state not in accept:
        faults.append(f"state {state}, not {' or '.join(entry.accept)}: {verdict.get('reason', '')[:160]}")
    timing = verdict.get("timing")
    if state == "correct" and entry.timed:
        if score > entry.most:
            faults.append(f"score {score:.3f}, at most {entry.most}")
        if entry.least and timing["speedup"] < entry.least:
            faults.append(f"speedup {timing['speedup']:.3f}, at least {entry.least}")
        checked = verdict["correctness"]
        if checked["timed_calls"] != checked["timed_calls_checked"] or checked["timed_calls"] == 0:
            faults.append("a timed call was not checked")
    if state not in ("correct", "noisy") and score:
        faults.append(f"state {state} has the score {score}")
    for word in entry.silent:
        if team.filled(word) in text:
            faults.append(f"the verdict shows '{word}'")
    if len(verdict.get("reason", "")) > 1000 or len(text) > 400_000:
        faults.append("a candidate's text is not bounded")
    return faults


def asked(team, entries):
    """All runs of entries that one process judges."""
    answers = [[] for _ in entries]
    for run in range(max(e.runs for e in entries)):
        wanted = [i for i, e in enumerate(entries) if run < e.runs]
        outs = team.evaluate_all([entries[i] for i in wanted])
        for i, out in zip(wanted, outs):
            answers[i].append(out)
    return [(e, outs, [f for out in outs for f in judged(team, e, out)]) for e, outs in zip(entries, answers)]


def measured(team, entries, rounds=6):
    """Timed entries, one at a time: they are about time. `noisy` says of a machine's minute "measure again": of controls it is taken at its
    word, in rounds over all that are left."""
    results, left = {}, list(entries)
    for _ in range(rounds):
        for entry in left:
            [results[entry.name]] = asked(team, [entry])
        left = [e for e in left if e.control and results[e.name][1][-1][0]["state"] == "noisy"]
    return [results[e.name] for e in entries]


def together(entries, most=8):
    """Untimed entries in groups that one process judges, as a worker does: PyTorch is imported once, and the later ones are held to what the
    reference answered to the first."""
    groups = {}
    for e in entries:
        groups.setdefault((e.backend, e.problem, e.plan), []).append(e)
    return [group[i:i + most] for group in groups.values() for i in range(0, len(group), most)]


def show(entry, answers, faults, table):
    if not (table or faults):
        return
    verdict, _, took = answers[-1]
    timing = verdict.get("timing")
    ratio = f"{timing['speedup']:6.2f}x" if timing else " " * 7
    state = " / ".join(dict.fromkeys(a[0]["state"][:22] for a in answers))
    print(f"{'FAIL' if faults else 'ok':4}  {entry.name:28} {','.join(entry.entries):10} {state:22} {ratio} {took:6.1f} s  {entry.trick[:70]}",
          flush=True)
    for fault in faults:
        print(f"        {fault}", flush=True)


def deadline_faults(results):
    """Bombs and hangs are answered within their limit and two seconds, beyond what an honest candidate takes."""
    usual = {}
    for backend in BACKENDS.values():
        took = [a[-1][2] for e, a, _ in results if e.control and not e.timed and e.backend == backend]
        usual[backend] = statistics.median(took) if took else 0.0
    if not any(usual.values()):
        return []
    limits = {"call": LIMITS["call_s"], "load": LOAD_S, "build": LIMITS["build_s"]}
    late, worst = [], 0.0
    for entry, answers, _ in results:
        if entry.answers and answers[-1][0]["state"] != "correct":  # one that ended well has run into no limit
            over = answers[-1][2] - usual[entry.backend] - limits[entry.answers]
            worst = max(worst, over)
            if over > 2 * program.SLACK:
                late.append(f"{entry.name}: answered {over:.1f} s after the limit of {limits[entry.answers]} s")
    honest = ", ".join(f"{took:.1f} s ({backend})" for backend, took in usual.items() if took)
    print(f"-- deadlines: an honest answer takes {honest}; the latest came {worst:.1f} s after its limit")
    return late


def noise_faults(results):
    """A control may stay noisy however often it is measured, but at most one in twenty."""
    controls = [(e, a) for e, a, _ in results if e.control]
    noisy = [e.name for e, a in controls if a[-1][0]["state"] == "noisy"]
    return [f"noisy after all tries: {', '.join(noisy)}"] if len(noisy) > max(1, len(controls) // 20) else []


def all_once(entries, parallel, table):
    team = Team()
    try:
        begun, results = time.monotonic(), []
        quick = [e for e in entries if not e.timed]
        with ThreadPoolExecutor(parallel) as pool:
            for group in pool.map(lambda es: asked(team, es), together(quick)):
                for result in group:
                    show(*result, table)
                    results.append(result)
        for result in measured(team, [e for e in entries if e.timed]):
            show(*result, table)
            results.append(result)
        faults = [f"{e.name}: {f}" for e, _, found in results for f in found]
        faults += deadline_faults(results) + noise_faults(results)
        faults += [f"left behind: {what}" for what in team.left_behind()]
        controls = [e for e, _, _ in results if e.control]
        print(f"-- {len(results)} candidates, {len(controls)} of them honest, {time.monotonic() - begun:.0f} s; {len(faults)} faults")
        for fault in faults:
            print(f"   {fault}")
        return 1 if faults else 0
    finally:
        team.close()


def many(runs, seed, parallel, backends):
    team = Team()
    try:
        entries = corpus(backends=backends)
        control = next(e for e in entries if e.name in ("ok_copy", "py_ok_reordered"))
        control.timed = False
        hostile = [e for e in entries if not e.control and e.answers != "build"]
        for e in hostile:
            e.timed, e.runs = False, 1
        order = random.Random(seed)
        first = team.evaluate(control)[0]
        same = ("state", "problem", "candidate", "device")
        faults, done, states = [], 0, {}
        begun = time.monotonic()
        while done < runs and not faults:
            batch = [order.choice(hostile) for _ in range(min(25, runs - done))]
            with ThreadPoolExecutor(parallel) as pool:
                for entry, out in zip(batch, pool.map(team.evaluate, batch)):
                    state = out[0]["state"]
                    states[state] = states.get(state, 0) + 1
                    if state not in entry.accept:
                        faults.append(f"{entry.name}: {state}: {out[0].get('reason', '')}")
            done += len(batch)
            again = team.evaluate(control)[0]
            if any(again.get(k) != first.get(k) for k in same):
                faults.append(f"the control's verdict has changed after {done} runs: {again.get('state')} {again.get('reason')}")
            faults += [f"left behind after {done} runs: {what}" for what in team.left_behind()]
            print(f"-- {done} of {runs}, seed {seed}, {time.monotonic() - begun:.0f} s: {states}", flush=True)
        for fault in faults:
            print(f"FAIL {fault}")
        return 1 if faults else 0
    finally:
        team.close()


def doctor():
    return subprocess.run([program.RUNTIME, "doctor"], capture_output=True, text=True).stdout


def has_torch(said):
    """Whether `doctor` finds a Python with PyTorch."""
    return re.search(r"^ok\s+backend\s+torch-cpu", said, re.M) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--parallel", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true", default=sys.stdout.isatty())
    parser.add_argument("--backend", choices=BACKENDS.values())
    options = parser.parse_args()
    backends = [options.backend] if options.backend else list(BACKENDS.values())
    if options.list:
        for e in corpus(backends=backends):
            print(f"{e.name:28} {','.join(e.entries):10} {'/'.join(e.accept):40} {e.trick}")
        return 0
    said = doctor()
    if re.search(r"^missing\s+sandbox", said, re.M):
        print("this machine lacks a part of the full sandbox (`ke-runtime doctor`): hostile candidates are not run")
        return SKIPPED
    if not has_torch(said):
        print("this machine has no PyTorch (`ke-runtime doctor` says how to get it): the candidates in Python are NOT run")
        backends = [b for b in backends if b != "torch-cpu"]
        if not backends:
            return SKIPPED
    if options.runs:
        return many(options.runs, options.seed, options.parallel, backends)
    return all_once(corpus(options.only, backends), options.parallel, options.table)


if __name__ == "__main__":
    sys.exit(main())
