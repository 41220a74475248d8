"""redteam
trick = "an illegal address"
accept = ["crashed"]
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
def bad(x):
    tl.store(x + (1 << 44), 1.0)


def kernel(x):
    if x.numel():
        bad[(1,)](x)
    return honest(x)
