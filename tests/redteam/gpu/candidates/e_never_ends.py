"""redteam
trick = "a kernel that never ends"
accept = ["timeout"]
"""
import torch
import triton
import triton.language as tl
from honest import softmax


@triton.jit
def spin(x):
    while tl.load(x, volatile=True) != 12345678.0:
        pass


def kernel(x):
    spin[(1,)](torch.zeros(1, device=x.device))
    return softmax(x)
