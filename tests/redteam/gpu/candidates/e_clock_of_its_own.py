"""redteam
trick = "every clock of Python stands still"
accept = ["correct", "noisy", "cheating_suspected"]
timed = true
most_speedup = 1.15
"""
import time
import torch
from honest import softmax


time.perf_counter_ns = time.monotonic_ns = time.time_ns = lambda: 0
time.perf_counter = time.monotonic = time.time = lambda: 0.0

kernel = softmax
