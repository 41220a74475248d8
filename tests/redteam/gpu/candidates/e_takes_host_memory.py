"""redteam
trick = "40 GB of the host's memory"
accept = ["resource_exceeded", "crashed"]
"""
import torch
from honest import softmax

kept = []


def kernel(x):
    if not kept:
        kept.append(torch.ones(40 << 30, dtype=torch.uint8))
    return softmax(x)
