"""redteam
trick = "a child process that burns the processor which both drivers share"
accept = ["crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed", "correct", "noisy"]
timed = true
most_speedup = 1.1
"""
import os
import torch
from honest import softmax

child = None


def kernel(x):
    global child
    if child is None:
        child = os.fork()
        if child == 0:
            while True:
                pass
    return softmax(x)
