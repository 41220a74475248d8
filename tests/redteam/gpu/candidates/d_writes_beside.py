"""redteam
trick = "writes in front of its input"
accept = ["incorrect", "cheating_suspected", "crashed"]
"""
import torch
import triton
import triton.language as tl
from honest import softmax


@triton.jit
def beside(x):
    tl.store(x - 4, 1.0)


def kernel(x):
    if x.numel():
        beside[(1,)](x)
    return softmax(x)
