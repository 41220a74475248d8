#!/usr/bin/env python3
"""Campaigns on this machine's device, killed with SIGKILL in the middle, resumed, and played to their claims and exports.

    scripts/gpu/proof.py --programs DIR [--work DIR] [--only NAME...] [--backend torch-cuda] [--device 'nvidia-*'] [--problems DIR --answers DIR]
                         [--fake LIBCUDA --backend-path DIR]

One for each folder of scripts/gpu/problems (softmax, layer norm, a linear layer with GELU in bf16, a one-dimensional convolution). The canned answers
of scripts/gpu/answers/torch-cuda/NAME play the model: right ones, and one that must be found wrong. Prints what it saw as JSON, a line a step;
exit code 1 and the reason where something did not hold: a verdict that changes, a wrong answer called right,
a right one refused. Whether any is faster than PyTorch is the machine's to say."""

import argparse
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import campaign
from campaign import ENDED, holds

HERE = Path(__file__).resolve().parent


class Proof(campaign.Campaign):
    """One campaign on one device, without another worker than the coordinator's own."""

    def __init__(self, o, name):
        super().__init__(argparse.Namespace(**{**vars(o), "work": Path(o.work) / name, "problem": o.problems / name, "answers": None}))
        self.name, self.canned = name, sorted((o.answers / name).iterdir())
        self.without_device = self.with_device  # the coordinator has the device

    def write(self):
        o = self.o
        (self.folder / "answers").mkdir()
        shutil.copytree(o.problem, self.folder / "problem")
        shutil.copytree(self.canned[0].parent, self.folder / "answers" / o.backend)
        answers = len(self.canned)
        (self.folder / "campaign.toml").write_text(self.configured(self.name, answers, [(o.backend, o.device)], drafts=answers, parallel=1))

    def play(self):
        self.write()
        begun = time.monotonic()
        self.start()
        seen = self.until("a verdict", lambda: self.verdicts() or None)
        self.run.send_signal(signal.SIGKILL)
        self.run.wait()
        self.tell(campaign=self.name, step="killed", verdicts=len(seen), after_s=round(time.monotonic() - begun, 1))
        self.start()
        self.until("the end", lambda: self.run.poll() is not None, 0.5)
        holds(self.run.returncode in (0, 1), "the campaign ended with", self.run.returncode, self.tail())  # 1: none was faster
        now = self.verdicts()
        holds(all(now.get(n) == s for n, s in seen.items()), "verdicts before the kill", seen, "and after it", now)
        self.judge_the_end(now, round(time.monotonic() - begun, 1))

    def verdicts(self):
        return {n["id"]: n["state"] for n in self.nodes() if n["model"] and n["state"] in ENDED}

    def judge_the_end(self, verdicts, wall_s):
        holds(len(verdicts) == len(self.canned), "canned answers", len(self.canned), "verdicts", verdicts)
        best = json.loads(self.call("best", "--config", "campaign.toml", "--json", code=None) or "[]")
        claims = [{"node": b["node"], "claim": b.get("claim"), "state": b["verdict"]["state"], "speedup": (b["verdict"]["timing"] or {}).get("speedup"),
                   "ci95": (b["verdict"]["timing"] or {}).get("ci95"), "device": b["verdict"]["device"]} for b in best]
        self.call("report", "-o", "report.html", "--config", "campaign.toml")
        exported = []
        if best:
            self.call("export", "best", "--config", "campaign.toml", "-o", "winner", code=None)
            exported = sorted(os.listdir(self.folder / "winner")) if (self.folder / "winner").exists() else []
        states = {}
        for state in verdicts.values():
            states[state] = states.get(state, 0) + 1
        self.tell(campaign=self.name, step="ended", wall_s=wall_s, states=states, best=claims, spend=self.status()["spend"], exported=exported)
        wrong = sum(1 for f in self.canned if "wrong" in f.read_text().lower().split("\n", 1)[0])
        holds(states.get("incorrect", 0) == wrong, "wrong answers", wrong, "states", states)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--work", default="proof-on-device")
    p.add_argument("--only", nargs="*", default=[])
    p.add_argument("--backend", default="torch-cuda")
    p.add_argument("--backend-path")
    p.add_argument("--device", default="nvidia-*")
    p.add_argument("--fake")
    p.add_argument("--problems", type=Path, default=HERE / "problems")
    p.add_argument("--answers", type=Path, default=HERE / "answers/torch-cuda")
    p.add_argument("--latency", type=float, default=0.5, help="seconds that the model takes")
    o = p.parse_args()
    failed = 0
    for name in o.only or sorted(f.name for f in o.problems.iterdir() if f.is_dir()):
        failed |= Proof(o, name).played(campaign=name)
    return failed


if __name__ == "__main__":
    sys.exit(main())
