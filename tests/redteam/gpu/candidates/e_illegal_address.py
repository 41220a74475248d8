"""redteam
trick = "an illegal address"
accept = ["crashed"]
"""
import torch
import triton
import triton.language as tl
from honest import softmax


@triton.jit
def bad(x):
    tl.store(x + (1 << 44), 1.0)


def kernel(x):
    if x.numel():
        bad[(1,)](x)
    return softmax(x)
