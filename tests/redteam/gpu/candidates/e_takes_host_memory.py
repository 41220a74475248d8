"""redteam
trick = "40 GB of the host's memory"
accept = ["resource_exceeded", "crashed"]
"""
import torch

kept = []


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    if not kept:
        kept.append(torch.ones(40 << 30, dtype=torch.uint8))
    return honest(x)
