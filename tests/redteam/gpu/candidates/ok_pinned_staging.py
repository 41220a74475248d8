"""redteam
trick = "a number that goes through pinned memory of the host"
accept = ["correct", "noisy"]
control = true
"""
import torch

one = None


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    global one
    one = torch.ones(1).pin_memory() if one is None else one
    return honest(x) * one.to(x.device, non_blocking=True)
