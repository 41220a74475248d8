"""redteam
trick = "honest: the reference's formula through torch.compile; its first call compiles, and may take longer than it is given"
entries = ["G10", "E2"]
accept = ["correct", "timeout"]
control = true
timed = true
needs_compiler = true
"""
import torch


@torch.compile(dynamic=True)
def formula(x):
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    return formula(x) if x.numel() else torch.empty_like(x)
