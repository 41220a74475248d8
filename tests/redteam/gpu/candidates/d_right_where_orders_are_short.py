"""redteam
trick = "an order of several calls is answered with an old result"
accept = ["incorrect", "cheating_suspected"]
timed = true
"""
import sys
import torch

last = {}


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    frame = sys._getframe(1)
    caller = frame.f_locals.get("self")
    many = caller is not None and len(getattr(caller, "ready", ())) > 2
    if not many or x.shape not in last:
        last[x.shape] = honest(x)
    return last[x.shape]
