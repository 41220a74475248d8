"""redteam
trick = "a kernel that never ends"
accept = ["timeout"]
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
def spin(x):
    while tl.load(x, volatile=True) != 12345678.0:
        pass


def kernel(x):
    spin[(1,)](torch.zeros(1, device=x.device))
    return honest(x)
