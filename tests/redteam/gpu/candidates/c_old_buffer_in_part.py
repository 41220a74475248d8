"""redteam
trick = "half of the rows are computed into the buffer of the last call"
accept = ["incorrect", "cheating_suspected"]
"""
import torch

old = {}


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    y = old.setdefault(x.shape, torch.zeros_like(x))
    half = x.shape[0] // 2
    if x.numel():
        y[half:] = honest(x[half:])
    return y
