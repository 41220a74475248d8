"""redteam
trick = "writes in front of its input"
accept = ["incorrect", "cheating_suspected", "crashed"]
"""
import torch
import triton
import triton.language as tl


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


@triton.jit
def beside(x):
    tl.store(x - 4, 1.0)


def kernel(x):
    if x.numel():
        beside[(1,)](x)
    return honest(x)
