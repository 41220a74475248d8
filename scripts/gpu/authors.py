#!/usr/bin/env python3
"""Campaigns on this machine's device whose model is people: prompts lie in a spool, and a run ends when all that are open wait for an answer.

    scripts/gpu/authors.py --programs DIR --work DIR [--only NAME...] [--seconds 520] [--requests 12] [--backend triton] [--answers DIR]
                           [--problems DIR] [--fake LIBCUDA --backend-path DIR]

One campaign for each folder of scripts/gpu/authors, with a coordinator and a worker over tcp with CURVE. The first run asks for drafts
(WORK/NAME/spool/*.prompt.md). Write each answer beside its prompt, as *.answer.md, or into ANSWERS/NAME/nNODE.answer.md, which serves whatever the
prompt's name is. Take WORK along if the next run is elsewhere, and run the same command again: it judges them and asks the next ones, until
`--requests` are answered; then the best is claimed and exported. A run that finds no time for a problem leaves it as it is. Prints a line of
JSON a problem: verdicts, the best, and which prompts are open."""

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import campaign
from campaign import ENDED, Failed, holds

HERE = Path(__file__).resolve().parent


class Round(campaign.Campaign):
    """One run of one problem's campaign: to its end, to a spool that nobody has answered, or to `until`."""

    def __init__(self, o, name, until):
        folder = Path(o.work) / name
        self.answers = o.answers
        self.fresh, self.name, self.ends_at = not (folder / "campaign.toml").exists(), name, until
        facts = {"work": folder, "problem": o.problems / name, "candidates": 4 * o.requests}
        super().__init__(argparse.Namespace(**{**vars(o), **facts}), keep=not self.fresh)
        if not self.fresh:
            self.address = re.search('listen = "(.*)"', (self.folder / "campaign.toml").read_text())[1]

    def prepare_model(self):
        (self.folder / "spool").mkdir()

    def model_keys(self):
        return """name = "author"
provider = "spool"
dir = "spool"
timeout_s = 86400.0
"""

    def configured(self, name, candidates, devices, drafts, parallel):
        budget = f"requests = {self.o.requests}\ntune_candidates = {self.o.tune}\n"
        return super().configured(self.name, candidates, [(self.o.backend, self.o.device)], 4, 4, budget)

    def open_prompts(self):
        spool = self.folder / "spool"
        return sorted(p.name for p in spool.glob("*.prompt.md") if not (spool / p.name.replace(".prompt.", ".answer.")).exists())

    def hand_in(self):
        """Puts the answers that lie elsewhere beside their prompts."""
        for name in self.open_prompts() if self.answers else []:
            node = re.search("-(n[0-9]+)-", name)[1]
            given = self.answers / self.name / f"{node}.answer.md"
            if given.exists():
                beside = self.folder / "spool" / name.replace(".prompt.", ".answer.")
                shutil.copy(given, beside.with_suffix(".part"))
                beside.with_suffix(".part").rename(beside)

    def waits_for_people(self):
        """Whether all that is in flight is asked, and nothing of it is answered."""
        states = [n["state"] for n in self.nodes() if n["state"] not in ENDED]
        asked = self.open_prompts()
        return bool(asked) and states == ["asked"] * len(asked) and self.status()["in_flight"] == len(asked)

    def play(self):
        if self.fresh:
            self.write()
        begun, last = time.monotonic(), 0
        self.start()
        self.attach()
        while self.run.poll() is None and time.monotonic() < self.ends_at:
            self.hand_in()
            last = last + 1 if self.waits_for_people() else 0
            if last == 3:
                break
            time.sleep(1)
        ended = self.run.poll() is not None
        if not ended:
            self.run.send_signal(signal.SIGINT)
            try:
                self.run.wait(20)
            except subprocess.TimeoutExpired:
                self.run.kill()
        holds(self.run.poll() in (0, 1, 5, 130, -9), "the campaign ended with", self.run.returncode, self.tail())
        self.judge_the_round(ended, round(time.monotonic() - begun, 1))

    def judge_the_round(self, ended, wall_s):
        nodes = [{"id": n["id"], "parents": n["parents"], "state": n["state"], "score": n["score"]} for n in self.nodes() if n["model"]]
        status = self.status()
        self.tell(problem=self.name, ended=ended, wall_s=wall_s, nodes=nodes, best=status["best"], spend=status["spend"], open=self.open_prompts())
        if ended:
            best = json.loads(self.call("best", "--config", "campaign.toml", "--json", code=None) or "[]")
            self.tell(problem=self.name, claims=[{"node": b["node"], "claim": b.get("claim"), "timing": b["verdict"]["timing"]} for b in best])
            self.call("report", "-o", "report.html", "--config", "campaign.toml")
            self.call("export", "best", "--config", "campaign.toml", "-o", "winner", code=None)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--only", nargs="*", default=[])
    p.add_argument("--tune", type=int, default=24, help="points of templates, of each campaign")
    p.add_argument("--answers", type=Path)
    p.add_argument("--problems", type=Path, default=HERE / "authors")
    p.add_argument("--seconds", type=float, default=520, help="of the whole run")
    p.add_argument("--requests", type=int, default=12)
    p.add_argument("--backend", default="triton")
    p.add_argument("--device", default="nvidia-h*", help="not nvidia-sm_*, which stand for devices that are not there")
    p.add_argument("--backend-path")
    p.add_argument("--fake")
    o = p.parse_args()
    names = o.only or sorted(f.name for f in o.problems.iterdir() if f.is_dir())
    ends, failed = time.monotonic() + o.seconds, 0
    for i, name in enumerate(names):
        left = ends - time.monotonic()
        if left < 15:
            print(json.dumps({"problem": name, "left": "no time"}), flush=True)
            continue
        # What one does not use, the others may.
        failed |= Round(o, name, time.monotonic() + left / (len(names) - i)).played(problem=name)
    return failed


if __name__ == "__main__":
    sys.exit(main())
