"""redteam
trick = "an illegal address on a side stream, after the answer"
accept = ["crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
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


side = None


def kernel(x):
    global side
    side = side or torch.cuda.Stream()
    y = honest(x)
    if x.numel():
        with torch.cuda.stream(side):
            bad[(1,)](x)
    return y
