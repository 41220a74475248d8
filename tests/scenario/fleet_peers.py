"""A fleet of living processes: an owner that listens, workers of their own, a proxy between them, and a model whose answers a test gives.

Everything is seen from outside: events, `status`, `tree`, exit codes, processes, and the files of a worker's `--cache`.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import program
from program import HEAD, PATIENCE, PROBLEM, REFERENCE, RIGHT, RUNTIME, Scenario, campaign_text, command_of, fenced, wait_for_end, wrong

NIGHTLY = os.environ.get("KE_NIGHTLY") == "1"

# Makes the compiler compute for seconds, and nothing at run time.
BURN = """\
constexpr unsigned long burn(unsigned long seed) {
  for (int i = 0; i < 1000; ++i)
    for (int j = 0; j < 1000; ++j)
      seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return seed;
}
"""


def slow_to_build(source, burns=2):
    """About two seconds of its compiler for each on an idle core."""
    burnt = "".join(f"constexpr unsigned long burnt{n} = burn({n});\n" for n in range(burns))
    return source.replace('extern "C"', BURN + burnt + 'extern "C"', 1)


def _sleeping(source, seconds):
    head, body = source.split("  for (", 1)
    return "#include <unistd.h>\n" + head + f"  usleep({int(seconds * 1e6)});\n  for (" + body


# Candidates whose evaluation takes about so many seconds, on a busy machine not much longer than on an idle one: each call sleeps. An untimed
# evaluation calls a right candidate some 130 times, and a wrong one 24 times until it knows.


def slow_right(seconds):
    return _sleeping(RIGHT, seconds / 130)


def slow_wrong(number, seconds):
    return _sleeping(wrong(number), seconds / 24)


def padded(source, size):
    """The same source in so many bytes more, so that it travels as content of its own."""
    return source + "".join(f"// {n:060d}\n" for n in range(size // 64))


class Answers:
    """A model, played by a program that prints what the test has put into a folder, each answer once and in order; it waits for the next."""

    def __init__(self, folder):
        self.folder = Path(tempfile.mkdtemp(prefix="answers-", dir=folder))
        self.given = 0
        self.script = self.folder / "model.py"
        self.script.write_text("""\
import os, sys, time
folder, number = sys.argv[1], 0
while True:
    try:
        text = open(f"{folder}/{number}.md").read()
        os.close(os.open(f"{folder}/{number}.taken", os.O_CREAT | os.O_EXCL))
        break
    except FileNotFoundError:
        time.sleep(0.02)  # the test gives it later
    except FileExistsError:
        number += 1
print(text)
""")

    def give(self, *sources):
        for source in sources:
            draft = self.folder / "draft"
            draft.write_text(fenced(source))
            draft.rename(self.folder / f"{self.given}.md")
            self.given += 1

    def taken(self):
        return len(list(self.folder.glob("*.taken")))

    def model(self):
        return f'[[model]]\nname = "main"\nprovider = "command"\ncommand = ["{sys.executable}", "-S", "-E", "{self.script}", "{self.folder}"]\n'


class Worker:
    """One `ke-runtime worker`, a process of this test."""

    def __init__(self, argv, cwd, env, counts):
        self.err_path = tempfile.NamedTemporaryFile(dir=cwd, prefix="worker-", delete=False).name
        # Pids of the judges that this worker was seen to run for candidates: an untimed evaluation has one. What runs before a model is asked
        # is the campaign's admission of its problem.
        self.ran = set()
        self._counts = counts
        with open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=err, stdin=subprocess.DEVNULL)
        program._started.add(self.process.pid)
        self._watch = threading.Thread(target=self._count, daemon=True)
        self._watch.start()

    @property
    def pid(self):
        return self.process.pid

    def _count(self):
        while self.process.poll() is None:
            if self._counts():
                self.ran |= set(self.judges())
            time.sleep(0.05)

    def judges(self):
        """Its own children only, and not by a walk through all processes: this is asked often."""
        found = []
        for task in Path(f"/proc/{self.pid}/task").glob("*/children"):
            try:
                found += [int(p) for p in task.read_text().split()]
            except OSError:
                pass  # that thread has ended
        return [p for p in found if command_of(p).split(" ")[0].endswith("/ke-judge")]

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def drain(self):
        self.process.send_signal(signal.SIGTERM)

    def end(self, timeout=PATIENCE):
        code = self.process.wait(timeout)
        self._watch.join()
        program._started.discard(self.pid)
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.thaw()
        self.end(10)

    def errors(self):
        return Path(self.err_path).read_text(errors="replace")


class Proxy:
    """Forwards a listener's two ports from 127.0.0.2 to 127.0.0.1. Each direction can be stalled: connections stay, and nothing arrives.

    "down" is coordinator to worker, "up" the other way.
    """

    def __init__(self, port):
        self.port = port
        self.open = {"up": threading.Event(), "down": threading.Event()}
        for gate in self.open.values():
            gate.set()
        self.seen = threading.Condition()
        self.bytes = {("up", 0): 0, ("down", 0): 0, ("up", 1): 0, ("down", 1): 0}  # by direction; 0 frames, 1 contents
        self.plans = []
        self.sockets, self.closed = [], False
        for which in (0, 1):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.2", port + which))
            s.listen(64)
            self.sockets.append(s)
            threading.Thread(target=self._accept, args=(s, which), daemon=True).start()

    def _accept(self, listener, which):
        while not self.closed:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.port + which), timeout=2)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            self.sockets += [near, far]
            for source, sink, way in ((near, far, "up"), (far, near, "down")):
                threading.Thread(target=self._pump, args=(source, sink, way, which), daemon=True).start()

    def _pump(self, source, sink, way, which):
        try:
            while data := source.recv(16384):
                with self.seen:
                    self.bytes[way, which] += len(data)
                    for plan in [p for p in self.plans if self.bytes[p[0], p[1]] >= p[2]]:
                        self.plans.remove(plan)
                        self.stall(plan[3], plan[4])
                    self.seen.notify_all()
                self.open[way].wait()
                sink.sendall(data)
        except OSError:
            pass
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stall(self, way, seconds):
        self.open[way].clear()
        timer = threading.Timer(seconds, self.open[way].set)
        timer.daemon = True
        timer.start()
        return timer

    def stall_when(self, passing, which, more, way, seconds):
        """Stalls `way` as soon as so many more bytes have gone `passing`."""
        with self.seen:
            self.plans.append((passing, which, self.bytes[passing, which] + more, way, seconds))

    def close(self):
        self.closed = True
        for gate in self.open.values():
            gate.set()
        for s in self.sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()


def free_ports():
    """A port whose next one is free, too, on both addresses that are used here."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            others = [("127.0.0.1", port + 1), ("127.0.0.2", port), ("127.0.0.2", port + 1)]
            try:
                for address in others:
                    with socket.socket() as s:
                        s.bind(address)
            except (OSError, OverflowError):
                continue
            return port


class Fleet(Scenario):
    """A scenario with one port for owners, and workers that outlive them."""

    def setUp(self):
        super().setUp()
        self.port = free_ports()
        self.workers, self.models = [], []
        self.addCleanup(self._end_workers)

    def _end_workers(self):
        for worker in self.workers:
            worker.kill()

    # -- problems, answers, campaigns

    def problem(self, folder, function="cos"):
        """Another problem than that of the scenario."""
        (self.folder / folder).mkdir()
        (self.folder / folder / "problem.toml").write_text(PROBLEM.replace('name = "scale"', f'name = "{function}"'))
        (self.folder / folder / "reference.cpp").write_text(REFERENCE.replace("std::sin", f"std::{function}"))

    def answers(self, *sources):
        answers = Answers(self.folder)
        answers.give(*sources)
        self.models.append(answers)
        return answers

    def campaign(self, model, file="campaign.toml", *, store="store", problem="problem", local=False, keys="", listen=None, **more):
        text = campaign_text(model, **more)
        text = text.replace('store = "store"', f'store = "{store}"').replace('path = "problem/', f'path = "{problem}/')
        text += f'\n[cluster]\nlisten = "{listen or self.endpoint()}"\nlocal_worker = {"true" if local else "false"}\n{keys}'
        return self.write(file, text)

    def endpoint(self, host="127.0.0.1"):
        return f"tcp://{host}:{self.port}"

    # -- processes

    def worker(self, name="far", *args, endpoint=None, cache=True, env=None):
        argv = [RUNTIME, "worker", "--connect", endpoint or self.endpoint(), "--name", name, *args]
        if cache:
            argv += ["--cache", str(self.cache(name))]
        worker = Worker(argv, self.folder, {**self.env, **(env or {})}, lambda: all(a.taken() for a in self.models))
        self.workers.append(worker)
        return worker

    def cache(self, name="far"):
        return self.folder / f"cache-{name}"

    def held(self, name="far"):
        """The files of results that nobody has acknowledged."""
        return sorted(p for p in (self.cache(name) / "results").rglob("*") if p.is_file() and p.suffix == ".result")

    def proxy(self):
        proxy = Proxy(self.port)
        self.addCleanup(proxy.close)
        return proxy

    # -- waiting

    def until(self, condition, what, timeout=PATIENCE):
        """The first true value of `condition()`; asked often, bounded."""
        deadline = time.monotonic() + timeout
        tick = threading.Event()
        while True:
            if value := condition():
                return value
            if time.monotonic() > deadline:
                told = "\n".join(r.told() for r in self.runs) + "\n".join(w.errors()[-2000:] for w in self.workers)
                self.fail(f"not within {timeout:.0f} s: {what}\n{told}")
            tick.wait(0.05)

    def until_nodes(self, run, state, count=1, timeout=PATIENCE):
        """So many nodes are in this state now, as the run itself says."""
        return run.wait("progress", timeout, where=lambda e: e["nodes"].get(state, 0) >= count)

    def until_attached(self, run, name="far", config="campaign.toml", timeout=PATIENCE):
        run.wait("progress", timeout)  # there is a store
        return self.until(lambda: [w for w in self.status(config)[1].get("workers") or [] if w["name"] == name], f"worker {name} attached", timeout)

    def until_judging(self, worker, timeout=PATIENCE):
        """The judges of candidates that the worker runs now."""
        return self.until(lambda: worker.ran & set(worker.judges()), "the worker measures", timeout)

    def admitted(self, run):
        """A worker comes, the campaign admits its problem and asks its model, and the worker has left: the next job is a candidate's."""
        first = self.worker("first")
        run.wait("progress", where=lambda e: e["nodes"].get("asked"))
        self.assert_leaves(first)

    def frozen(self, process, seconds):
        """SIGSTOP, and SIGCONT after so many seconds: what a suspended machine looks like."""
        os.kill(process.pid, signal.SIGSTOP)
        threading.Event().wait(seconds)
        os.kill(process.pid, signal.SIGCONT)

    # -- what must hold

    def states(self, config="campaign.toml"):
        """The states of the nodes in order, without the root."""
        return [n["state"] for i, n in sorted(self.tree(config).items()) if i]

    def assert_sound_store(self, config="campaign.toml"):
        self.call("store", "check", "--config", config)
        replay = self.json("replay", config=config)
        self.assertTrue(replay["matches"], replay)

    def assert_told(self, run, states, config="campaign.toml"):
        """What was acknowledged is what the tree says, and it is this; no node was judged twice."""
        said = [e["node"] for e in run.events if e.get("event") == "node" and e["state"] not in program.OPEN_STATES]
        self.assertEqual(len(said), len(set(said)), "a node was judged twice")
        self.assertEqual(self.states(config), states, run.told())

    def assert_leaves(self, worker, within=20.0):
        """SIGTERM: it has nothing in hand any more, and goes."""
        worker.drain()
        left = wait_for_end([worker.pid], within * program.SLACK)
        self.assertEqual(left, set(), f"the worker did not leave; results kept: {list(self.folder.glob('cache-*/results/*'))}\n{worker.errors()[-2000:]}")
        self.assertEqual(worker.end(), 0, worker.errors())
