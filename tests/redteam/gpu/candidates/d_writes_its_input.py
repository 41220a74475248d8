"""redteam
trick = "computes in place"
accept = ["incorrect", "cheating_suspected"]
"""
import torch


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    y = honest(x)
    x.copy_(y)
    return y
