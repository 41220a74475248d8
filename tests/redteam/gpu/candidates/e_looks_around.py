"""redteam
trick = "reads what other processes hold"
accept = ["correct", "noisy", "crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
"""
import glob
import os
import torch
from honest import softmax


for path in glob.glob("/proc/[0-9]*/mem"):
    try:
        with open(path, "rb") as f:
            if path != f"/proc/{os.getpid()}/mem" and f.read(1):
                raise SystemExit("it reads another process")
    except OSError:
        pass

kernel = softmax
