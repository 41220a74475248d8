#!/usr/bin/env python3
"""A campaign with a CPU and a device target, whose device is attached while it runs, killed, and attached again.

    scripts/gpu/campaign.py --programs DIR [--work DIR] [--backend cuda] [--device 'nvidia-*'] [--fake LIBCUDA]

Canned answers (scripts/gpu/answers/BACKEND/*) play the model. Prints what it saw as JSON, one object a line; exit code 1 and the reason where
something did not hold. With --fake the device is host memory (tests/fake_cuda), and the answers are its kernels. Works without the repository's
other scripts, on a machine that has the bundle only."""

import argparse
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE = 240
ENDED = ("correct", "incorrect", "noisy", "crashed", "timeout", "build_failed", "resource_exceeded", "cheating_suspected")


def model(answers, latency_s):
    """The command provider: the next canned answer for the backend that the prompt's ke-task names; the last one again when none is left."""
    prompt = sys.stdin.read()
    time.sleep(float(latency_s))
    task = json.loads(prompt.split("\n", 2)[1])
    backend = task["target"]["backend"]
    files = sorted(f for f in (Path(answers) / backend).iterdir() if f.is_file())
    with open(Path(answers) / f"{backend}.count", "a+") as count:
        fcntl.flock(count, fcntl.LOCK_EX)
        count.seek(0)
        turn = len(count.read())
        count.write("x")
    chosen = files[min(turn, len(files) - 1)]
    fence = {".cpp": "cpp", ".cu": "cuda", ".txt": "text", ".py": "python"}[chosen.suffix]
    text = chosen.read_text()
    if turn >= len(files):
        text += {"text": f"turn {turn}\n", "python": f"# {turn}\n"}.get(fence, f"// {turn}\n")
    print(f"```{fence}\n{text}```")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Failed(Exception):
    pass


def holds(what, *details):
    if not what:
        raise Failed(" ".join(map(str, details)))


class Campaign:
    def __init__(self, o, keep=False):
        """`keep`: what an earlier one left in the folder goes on."""
        self.o, self.runtime = o, str(Path(o.programs).resolve() / "ke-runtime")
        self.folder = Path(o.work).resolve()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.without_device = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        self.with_device = {**os.environ}
        if o.fake:
            self.with_device["KE_LIBCUDA"] = self.without_device["KE_LIBCUDA"] = str(Path(o.fake).resolve())
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.workers = []

    def call(self, *words, code=0):
        done = subprocess.run([self.runtime, *words], cwd=self.folder, env=self.without_device, capture_output=True, text=True, timeout=PATIENCE)
        holds(code is None or done.returncode == code, words, "ended with", done.returncode, done.stderr[-2000:])
        return done.stdout

    def write(self):
        o = self.o
        shutil.copytree(o.problem or HERE.parents[1] / "config/problems/softmax", self.folder / "problem")
        self.prepare_model()
        self.call("keygen", "-o", "keys/coordinator")
        self.call("keygen", "-o", "keys/workers/gpu")
        text = self.configured("attach", o.candidates, [("cpu-cpp", "*"), (o.backend, o.device)], drafts=4, parallel=3)
        (self.folder / "campaign.toml").write_text(f"""{text}[cluster]
listen = "{self.address}"
key = "keys/coordinator.key"
authorized_keys = "keys/workers"
""")

    def prepare_model(self):
        shutil.copytree(self.o.answers or HERE / "answers", self.folder / "answers")

    def model_keys(self):
        """Of [[model]]: the canned answers play it."""
        command = json.dumps([sys.executable, str(Path(__file__).resolve()), "--model", str(self.folder / "answers"), str(self.o.latency)])
        return f"""name = "canned"
provider = "command"
command = {command}
"""

    def configured(self, name, candidates, devices, drafts, parallel, budget=""):
        """A campaign.toml on the folder's problem, for these backends and devices. `budget`: more lines of [budget]."""
        targets = "".join(f"""[[target]]
backend = "{backend}"
device = "{device}"
""" for backend, device in devices)
        return f"""[campaign]
name = "{name}"
store = "store"
seed = 3
[problem]
path = "problem/problem.toml"
[goal]
target_speedup = 100000.0
[budget]
candidates = {candidates}
{budget}{targets}[search]
drafts = {drafts}
parallel = {parallel}
[[model]]
{self.model_keys()}"""

    def start(self):
        """Returns once the campaign is in the store: before, `status` and `tree` know of none (exit code 2)."""
        events = open(self.folder / "events", "ab")
        before = events.tell()
        more = ["--backend-path", self.o.backend_path] if self.o.backend_path else []
        self.run = subprocess.Popen([self.runtime, "--config", "campaign.toml", "--ui", "json", *more], cwd=self.folder, env=self.without_device,
                                    stdout=events, stderr=open(self.folder / "stderr", "ab"))
        self.until("a campaign in the store", lambda: b'{"event":"campaign"' in (self.folder / "events").read_bytes()[before:], 0.05)

    def attach(self):
        more = ["--backend-path", self.o.backend_path] if self.o.backend_path else []
        log = open(self.folder / f"worker{len(self.workers)}", "wb")
        worker = subprocess.Popen([self.runtime, "worker", "--connect", self.address, "--server-key", "keys/coordinator.pub", "--key",
                                   "keys/workers/gpu.key", "--name", "gpu", "--cache", "cache", *more], cwd=self.folder, env=self.with_device,
                                  stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def status(self):
        return json.loads(self.call("status", "--config", "campaign.toml", "--json"))["campaigns"][0]

    def nodes(self):
        return json.loads(self.call("tree", "--config", "campaign.toml", "--json"))["nodes"]

    def until(self, what, ask, every=0.2):
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            if answer := ask():
                return answer
            holds(self.run.poll() is None or what == "the end", "the campaign ended with", self.run.poll(), "before", what, self.tail())
            time.sleep(every)
        raise Failed(f"no {what} within {PATIENCE} s {self.tail()}")

    def tail(self):
        return "".join((self.folder / f).read_text(errors="replace")[-1500:] for f in os.listdir(self.folder) if f.startswith(("stderr", "worker")))

    def gpu(self):
        return next((w for w in self.status().get("workers") or [] if w["name"] == "gpu"), None)

    def tell(self, **facts):
        print(json.dumps(facts), flush=True)

    def played(self, **facts):
        """The exit code of `play`: 1 where something did not hold, which is told. Ends all that it started."""
        try:
            self.play()
        except Failed as e:
            self.tell(**facts, failed=str(e))
            return 1
        finally:
            for process in [*self.workers, getattr(self, "run", None)]:
                if process and process.poll() is None:
                    process.kill()
                    process.wait()
        return 0

    def play(self):
        self.write()
        self.start()
        said = self.until("a tree that waits", lambda: [s for s in [self.call("status", "--config", "campaign.toml", code=None)] if "waiting for" in s])
        self.until("a verdict of the CPU", lambda: any(n["model"] and n["state"] in ENDED for n in self.nodes()))
        self.tell(step="without a device", waits=next(line.strip() for line in said[0].splitlines() if "waiting for" in line),
                  cpu=self.status()["nodes"])
        begun = time.monotonic()
        worker = self.attach()
        self.until("an attached device", self.gpu, 0.05)
        hello = time.monotonic()
        self.until("a first job of the device", lambda: (self.gpu() or {}).get("jobs_done"), 0.05)
        self.tell(step="attached", hello_s=round(hello - begun, 2), first_job_done_s=round(time.monotonic() - hello, 2))
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker = self.attach()
        self.tell(step="killed and attached again")
        self.until("the end", lambda: self.run.poll() is not None, 0.5)
        holds(self.run.returncode == 0, "the campaign ended with", self.run.returncode, self.tail())
        worker.send_signal(signal.SIGTERM)
        worker.wait(30)
        self.judge_the_end()

    def judge_the_end(self):
        states = {}
        for n in self.nodes():  # each tree's numbers have its target in their last digit: two trees, even and odd
            of = states.setdefault(("cpu-cpp", self.o.backend)[n["id"] % 2], {})
            of[n["state"]] = of.get(n["state"], 0) + 1
        best = json.loads(self.call("best", "--config", "campaign.toml", "--json", code=None) or "[]")
        self.tell(step="ended", states=states, spend=self.status()["spend"],
                  best=[{"node": b["node"], "backend": b["verdict"]["backend"], "device": b["verdict"]["device"], "state": b["verdict"]["state"],
                         "speedup": b["verdict"]["timing"] and b["verdict"]["timing"]["speedup"], "ci95": b["verdict"]["timing"] and b["verdict"]["timing"]["ci95"]}
                        for b in best])
        self.call("report", "-o", "report.html", "--config", "campaign.toml")
        if best:
            self.call("export", "best", "--config", "campaign.toml", "-o", "winner", code=None)
            self.tell(step="exported", files=sorted(os.listdir(self.folder / "winner")) if (self.folder / "winner").exists() else [])


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--model":
        return model(*sys.argv[2:])
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--work", default="campaign-on-device")
    p.add_argument("--backend", default="cuda")
    p.add_argument("--backend-path")
    p.add_argument("--device", default="nvidia-h*")
    p.add_argument("--fake")
    p.add_argument("--problem")
    p.add_argument("--answers")
    p.add_argument("--latency", type=float, help="seconds that the model takes (6; with --fake 1)")
    p.add_argument("--candidates", type=int, help="the budget of both targets (30; with --fake 10): the CPU's must not spend it all before the device is there")
    o = p.parse_args()
    if o.latency is None:
        o.latency = 1 if o.fake else 6
    if o.candidates is None:
        o.candidates = 10 if o.fake else 30
    return Campaign(o).played()


if __name__ == "__main__":
    sys.exit(main())
