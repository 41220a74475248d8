#!/usr/bin/env python3
"""A campaign on a machine with two devices of one kind, one of which fails while it runs: it is put out of service, and the other works on.

    scripts/gpu/two_devices.py --programs DIR [--work DIR] [--backend torch-cuda] [--device 'nvidia-*'] [--problem DIR]
                               [--fake LIBCUDA --backend-path DIR]

The fault is another program that takes all free memory of the second device, as somebody else's job would; with --fake (a copy of
tests/fake_cuda's library lies in the work folder) it makes no context. Then the fault ends, and the device must come back. One answer plays the
model, in a turn of its own each. Prints what it saw as JSON, a line a step; exit code 1 and the reason where something did not hold: an evaluation
is lost, a right kernel is called something else, or a device that failed does not come back."""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import campaign
from campaign import ENDED, PATIENCE, holds

HERE = Path(__file__).resolve().parent
SOFTMAX = """import torch

turn = {turn}  # for the same kernel is judged once


def kernel(x):
    if not x.numel():
        return torch.empty_like(x)
    e = (x - x.amax(1, keepdim=True)).exp()
    return e / e.sum(1, keepdim=True)
"""

# All memory of the second device that is left, held until the input ends. "held" once it is.
HOG = """
import ctypes, sys
cu = ctypes.CDLL("libcuda.so.1")
def must(code):
    if code:
        sys.exit(f"libcuda said {code}")
device, context, place = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
must(cu.cuInit(0)); must(cu.cuDeviceGet(ctypes.byref(device), 1)); must(cu.cuCtxCreate_v2(ctypes.byref(context), 0, device))
size = 16 << 30
while size > 1 << 20:
    if cu.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(size)):
        size //= 2
print("held", flush=True)
sys.stdin.read()
"""


class TwoDevices(campaign.Campaign):
    def __init__(self, o):
        super().__init__(argparse.Namespace(**vars(o), answers=None))
        self.without_device = self.with_device  # the coordinator has the devices
        if o.fake:
            for library in Path(o.fake).resolve().parent.glob("*.so.1"):
                shutil.copy(library, self.folder)
            self.with_device.update(KE_LIBCUDA=str(self.folder / "libcuda.so.1"), CUDA_VISIBLE_DEVICES="0,1")

    def write(self):
        answers = self.folder / "answers" / self.o.backend
        answers.mkdir(parents=True)
        for turn in range(self.o.candidates):
            (answers / f"{turn:03}.py").write_text(SOFTMAX.format(turn=turn))
        shutil.copytree(self.o.problem, self.folder / "problem")
        text = self.configured("two", self.o.candidates, [(self.o.backend, self.o.device)], drafts=self.o.candidates, parallel=4)
        (self.folder / "campaign.toml").write_text(text)

    def fail(self):
        if self.o.fake:
            (self.folder / "broken-1").touch()
            return
        self.hog = subprocess.Popen([sys.executable, "-c", HOG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.workers.append(self.hog)
        holds(self.hog.stdout.readline() == "held\n", "no other program could take the second device's memory")

    def mend(self):
        if self.o.fake:
            (self.folder / "broken-1").unlink()
        else:
            self.hog.communicate(timeout=PATIENCE)

    def worker(self):
        return (self.status().get("workers") or [{"devices": [], "quarantined": []}])[0]

    def verdicts(self):
        return [n["state"] for n in self.nodes() if n["model"] and n["state"] in ENDED]

    def play(self):
        self.write()
        begun = time.monotonic()
        self.start()
        devices = [d for d in self.until("a worker", lambda: self.worker()["devices"]) if d.startswith("nvidia-")]
        holds(len(devices) == 2, "two devices of one kind are wanted, and there are", devices)
        self.until("two verdicts", lambda: len(self.verdicts()) >= 2)
        self.tell(step="both work", devices=devices, after_s=round(time.monotonic() - begun, 1))
        self.fail()
        [out] = self.until("a device out of service", lambda: self.worker()["quarantined"])
        holds(out["device"] == devices[1], "the second device failed, and out of service is", out)
        seen = len(self.verdicts())
        self.tell(step="one has failed", **out, verdicts=seen, after_s=round(time.monotonic() - begun, 1))
        self.until("another verdict", lambda: len(self.verdicts()) > seen)
        holds(self.worker()["quarantined"], "the device came back while it failed")
        self.mend()
        self.until("a device back in service", lambda: self.worker()["devices"] and not self.worker()["quarantined"])
        self.tell(step="it is back", verdicts=len(self.verdicts()), after_s=round(time.monotonic() - begun, 1))
        self.until("the end", lambda: self.run.poll() is not None, 0.5)
        holds(self.run.returncode in (0, 1), "the campaign ended with", self.run.returncode, self.tail())  # 1: none was faster
        ended = self.verdicts()
        self.tell(step="ended", states={s: ended.count(s) for s in set(ended)}, wall_s=round(time.monotonic() - begun, 1))
        holds(len(ended) == self.o.candidates and set(ended) <= {"correct", "noisy"}, "of", self.o.candidates, "right kernels", ended)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", required=True)
    p.add_argument("--work", default="two-devices")
    p.add_argument("--backend", default="torch-cuda")
    p.add_argument("--backend-path")
    p.add_argument("--device", default="nvidia-*")
    p.add_argument("--problem", type=Path, default=HERE / "problems/softmax", help="a folder: a softmax of rows")
    p.add_argument("--fake")
    p.add_argument("--candidates", type=int, default=20, help="enough that some are left when the device is back: it is tried again after 10 s, then after 20")
    p.add_argument("--latency", type=float, default=0.5, help="seconds that the model takes")
    return TwoDevices(p.parse_args()).played()


if __name__ == "__main__":
    sys.exit(main())
