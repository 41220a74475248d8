"""redteam
trick = "a tensor that computes when it is looked at"
accept = ["incorrect", "cheating_suspected"]
"""
import torch


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


class Lazy(torch.Tensor):
    pass


def kernel(x):
    return honest(x).as_subclass(Lazy)
