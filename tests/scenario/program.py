"""The real program under test: its folders, its processes, and waits for what it says.

Nothing here sleeps: every wait ends with a line of output, the end of a process or a change of a folder, and is bounded. KE_RUNTIME
names the ke-runtime to test, KE_FAKE_LLM the server that plays a provider (default: beside it); KE_SCENARIO_SLACK stretches the times
that the program promises, for a machine that is busy with other work.
"""

import ctypes
import json
import os
import queue
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = os.path.abspath(os.environ.get("KE_RUNTIME", ROOT / "build/release/ke-runtime"))
FAKE_CUDA = os.path.join(os.path.dirname(os.path.abspath(RUNTIME)), "fake_cuda", "libcuda.so.1")  # a device of host memory
FAKE_LLM = os.environ.get("KE_FAKE_LLM", str(Path(RUNTIME).parent / "ke-fake-llm"))
SLACK = float(os.environ.get("KE_SCENARIO_SLACK", "1"))
PATIENCE = 90.0 * SLACK  # seconds until a wait gives up: far beyond what anything here takes

OPEN_STATES = {"planned", "asked", "answered", "building", "measuring"}

PROBLEM = """\
[problem]
name = "scale"
family = "elementwise"
dims = ["N"]
reference = "reference.cpp"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N"]
[[workload]]
name = "small"
dims = { N = 4096 }
[cost]
flops = "20*N"
bytes = "8*N"
"""

HEAD = '#include <cmath>\n#include <cstdint>\nextern "C" void kernel(const float* x, float* y, int64_t n) {\n'
REFERENCE = HEAD + "  for (int64_t i = 0; i < n; ++i)\n    y[i] = std::sin(x[i]) * 1.5f + 1.0f;\n}\n"
RIGHT = HEAD + "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 1.0f + 1.5f * std::sin(x[i]);\n}\n"


def wrong(number):
    """A candidate that compiles and computes something else; no two are alike."""
    return HEAD + f"  for (int64_t i = 0; i < n; ++i)\n    y[i] = x[i] + {number}.5f;\n}}\n"


def broken(number):
    """A candidate that does not compile; no two are alike."""
    return HEAD + f"  no_such_name_{number}(x, y, n);\n}}\n"


def fenced(source):
    return f"What I would try:\n\n```cpp\n{source}```\n"


def playbook():
    return '[[model]]\nname = "main"\nprovider = "playbook"\n'


def campaign_text(model, *, name="tiny", candidates=8, parallel=2, drafts=2, timed=False, budget="", more=""):
    return f"""\
[campaign]
name = "{name}"
store = "store"
seed = 7
[problem]
path = "problem/problem.toml"
[goal]
timed = {"true" if timed else "false"}
[budget]
candidates = {candidates}
{budget}
[[target]]
backend = "cpu-cpp"
device = "*"
[search]
drafts = {drafts}
parallel = {parallel}
{more}
{model}"""


# Orphans of a killed program come to this process, so that "nothing is left" can be asked of the kernel.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
_started = set()


def _parent_and_state(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None, None
    return int(fields[1]), fields[0]


def children_of(pid):
    return [int(p) for p in os.listdir("/proc") if p.isdigit() and _parent_and_state(p)[0] == pid]


def descendants_of(pid):
    found, todo = [], [pid]
    while todo:
        for child in children_of(todo.pop()):
            found.append(child)
            todo.append(child)
    return found


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def orphans():
    """Live processes that programs under test have left behind; dead ones are reaped on the way."""
    left = []
    for pid in children_of(os.getpid()):
        if pid in _started:
            continue
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                left.append(pid)
        except ChildProcessError:
            pass
    return left


def wait_for_end(pids, timeout):
    """Blocks until all of them have ended; returns those that have not in time."""
    deadline = time.monotonic() + timeout
    alive = set(pids)
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            alive.discard(pid)
            continue
        poller = select.poll()
        poller.register(fd, select.POLLIN)
        if poller.poll(max(0, deadline - time.monotonic()) * 1000):
            alive.discard(pid)
        os.close(fd)
    return alive


def wait_for_no_orphans(timeout):
    """Blocks until nothing is left behind; returns the command lines of what still is. New orphans of orphans are waited for, too."""
    deadline = time.monotonic() + timeout
    while left := orphans():
        if time.monotonic() > deadline:
            return [f"{pid}: {command_of(pid)}" for pid in left]
        wait_for_end(left, max(0.0, deadline - time.monotonic()))
    return []


class FolderWatch:
    """Blocks until a folder changes (inotify), so that files can be awaited without polling in a loop."""

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        written, moved_to, made, removed = 0x8, 0x80, 0x100, 0x200
        if self.fd < 0 or libc.inotify_add_watch(self.fd, str(folder).encode(), written | moved_to | made | removed) < 0:
            raise OSError(ctypes.get_errno(), f"{folder} can't be watched")

    def close(self):
        os.close(self.fd)

    def wait_until(self, condition, timeout=PATIENCE):
        """The first true value of `condition()`, asked again after each change."""
        deadline = time.monotonic() + timeout
        while True:
            if value := condition():
                return value
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            select.select([self.fd], [], [], left)
            try:
                os.read(self.fd, 65536)
            except BlockingIOError:
                pass


class Run:
    """One running ke-runtime whose stdout is `--ui json` lines."""

    def __init__(self, argv, cwd, env):
        self.begun = time.monotonic()
        self.err_path = tempfile.NamedTemporaryFile(dir=cwd, prefix="stderr-", delete=False).name
        with open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=err, stdin=subprocess.DEVNULL)
        _started.add(self.process.pid)
        self.events = []  # all that was read so far, with "at": seconds since the start
        self._seen = 0
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self):
        return self.process.pid

    def _read(self):
        for line in self.process.stdout:
            self._lines.put((time.monotonic() - self.begun, line))
        self._lines.put((time.monotonic() - self.begun, None))

    def _next(self, timeout):
        try:
            at, line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"nothing was said for {timeout:.0f} s\n{self.told()}") from None
        if line is None:
            self._lines.put((at, None))  # it stays the end, for whoever asks again
            return None
        if not line.endswith(b"\n"):
            return {}  # cut by a kill: never an acknowledgement
        event = json.loads(line)
        event["at"] = at
        self.events.append(event)
        return event

    def wait(self, kind, timeout=PATIENCE, where=lambda e: True):
        """The next event of this kind after the last one that a wait gave; fails if the program ends first."""
        deadline = time.monotonic() + timeout
        while True:
            while self._seen < len(self.events):
                event = self.events[self._seen]
                self._seen += 1
                if event.get("event") == kind and where(event):
                    return event
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no event {kind} within {timeout:.0f} s\n{self.told()}")
            if self._next(left) is None:
                raise AssertionError(f"the program ended before an event {kind}\n{self.told()}")

    def end(self, timeout=PATIENCE):
        """Reads to the end; the exit code."""
        deadline = time.monotonic() + timeout
        while self._next(max(0.01, deadline - time.monotonic())) is not None:
            pass
        self._reader.join()
        self.process.stdout.close()
        code = self.process.wait(max(0.01, deadline - time.monotonic()))
        _started.discard(self.process.pid)
        return code

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """SIGKILL, and what was still in the pipe is read: it had been acknowledged."""
        self.process.kill()
        return self.end()

    def workers(self):
        return [p for p in children_of(self.pid) if " worker " in command_of(p)]

    def acks(self):
        return {e["node"]: (e["state"], e["score"]) for e in self.events if e.get("event") == "node" and e["state"] not in OPEN_STATES}

    def errors(self):
        return Path(self.err_path).read_text(errors="replace")

    def told(self):
        last = "\n".join(json.dumps(e) for e in self.events[-6:])
        code = self.process.poll()
        return f"exit code so far: {code}\nlast events:\n{last}\nstderr:\n{self.errors()[-3000:]}"


class FakeLlm:
    """ke-fake-llm on a free port."""

    def __init__(self, folder, script=(), answer=None, latency_ms=0):
        argv = [FAKE_LLM, "--port", "0", "--latency-ms", str(latency_ms)]
        if script:
            path = Path(folder) / "script.json"
            path.write_text(json.dumps(list(script)))
            argv += ["--script", str(path)]
        if answer:
            path = Path(folder) / "answer.md"
            path.write_text(answer)
            argv += ["--answer", str(path)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        _started.add(self.process.pid)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def stats(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats", timeout=10) as reply:
            return json.loads(reply.read())

    def bill(self):
        """What each request costs as the provider counts, in its own tokens; a status that refuses costs nothing."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/bill", timeout=10) as reply:
            return json.loads(reply.read())

    def requests(self):
        """Requests for an answer; those for /stats and /bill are not among them."""
        return self.stats()["requests"]

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()
        _started.discard(self.process.pid)

    def model(self, provider="openai", more=""):
        return (f'[[model]]\nname = "main"\nprovider = "{provider}"\nmodel = "fake"\nbase_url = "{self.url}"\n'
                f'api_key_env = "KE_TEST_KEY"\nprice = {{ input = 3.0, output = 15.0 }}\n{more}')


class Scenario(unittest.TestCase):
    """A fresh folder with the tiny problem. At the end nothing of a run may be left: no process, no folder of an evaluation."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ke-scenario-"))
        for sub in ("tmp", "run", "home", "problem"):
            (self.folder / sub).mkdir()
        os.chmod(self.folder, 0o755)  # the sandbox looks into it as an unprivileged user
        os.chmod(self.folder / "run", 0o700)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
                    "XDG_RUNTIME_DIR": str(self.folder / "run"), "LANG": "C.UTF-8", "KE_TEST_KEY": "canary-of-the-scenarios"}
        (self.folder / "problem/problem.toml").write_text(PROBLEM)
        (self.folder / "problem/reference.cpp").write_text(REFERENCE)
        self.runs = []
        self.addCleanup(self._clean)

    def _clean(self):
        for run in self.runs:
            if run.process.poll() is None:
                run.signal(signal.SIGCONT)
                run.process.kill()
            run.process.wait()
            run._reader.join()
            run.process.stdout.close()
            _started.discard(run.pid)
        for pid in orphans():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for_no_orphans(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- files

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def config(self, model, file="campaign.toml", **keys):
        return self.write(file, campaign_text(model, **keys))

    def fake(self, script=(), **options):
        server = FakeLlm(self.folder, script, **options)
        self.addCleanup(server.close)
        return server

    # -- programs

    def start(self, *args, config="campaign.toml", env=None):
        run = Run([RUNTIME, "--config", config, "--ui", "json", *args], self.folder, {**self.env, **(env or {})})
        self.runs.append(run)
        return run

    def call(self, *args, code=0, env=None, timeout=PATIENCE):
        """A command that ends by itself; its exit code is checked (None: any)."""
        done = subprocess.run([RUNTIME, *map(str, args)], cwd=self.folder, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)
        if code is not None:
            running = "".join(f"\n-- campaign process {run.pid}: {run.told()}" for run in self.runs)
            self.assertEqual(done.returncode, code, f"{args}\nstdout: {done.stdout[-2000:]}\nstderr: {done.stderr[-2000:]}{running}")
        return done

    def json(self, *args, code=0, config="campaign.toml"):
        return json.loads(self.call(*args, "--config", config, "--json", code=code).stdout)

    def status(self, config="campaign.toml"):
        """(live, the only campaign)"""
        document = self.json("status", config=config)
        self.assertEqual(len(document["campaigns"]), 1)
        return document["live"], document["campaigns"][0]

    def tree(self, config="campaign.toml"):
        return {n["id"]: n for n in self.json("tree", config=config)["nodes"]}

    # -- what must hold after every run

    def assert_acks_kept(self, *acks):
        tree = self.tree()
        for group in acks:
            for node, (state, score) in group.items():
                self.assertIn(node, tree, f"acknowledged node {node} is gone")
                self.assertEqual((tree[node]["state"], tree[node]["score"]), (state, score), f"node {node} is not what was acknowledged")

    def assert_nothing_left(self, within=3.0):
        left = wait_for_no_orphans(within * SLACK)
        self.assertEqual(left, [], "processes of the run are left")
        self.assertEqual([p.name for p in (self.folder / "tmp").glob("ke-*")], [], "temporary folders are left")

    def assert_sound(self):
        self.call("store", "check", "--config", "campaign.toml")
        replay = self.json("replay")
        self.assertTrue(replay["matches"], replay)
        return replay["hash"]
