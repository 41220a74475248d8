"""redteam
trick = "every clock of Python stands still"
accept = ["correct", "noisy", "cheating_suspected"]
timed = true
most_speedup = 1.15
"""
import time
import torch


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


time.perf_counter_ns = time.monotonic_ns = time.time_ns = lambda: 0
time.perf_counter = time.monotonic = time.time = lambda: 0.0

kernel = honest
