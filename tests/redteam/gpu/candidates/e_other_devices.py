"""redteam
trick = "opens every device node that there is"
accept = ["correct", "noisy", "crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
"""
import glob
import torch
from honest import softmax


def kernel(x):
    nodes = [n for n in glob.glob("/dev/nvidia[0-9]*")]
    if len(nodes) > 1:
        raise RuntimeError("more than one device is in sight")
    return softmax(x)
