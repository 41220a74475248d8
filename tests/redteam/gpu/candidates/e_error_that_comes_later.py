"""redteam
trick = "an illegal address on a side stream, after the answer"
accept = ["crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
"""
import torch
import triton
import triton.language as tl
from honest import softmax


@triton.jit
def bad(x):
    tl.store(x + (1 << 44), 1.0)


side = None


def kernel(x):
    global side
    side = side or torch.cuda.Stream()
    y = softmax(x)
    if x.numel():
        with torch.cuda.stream(side):
            bad[(1,)](x)
    return y
