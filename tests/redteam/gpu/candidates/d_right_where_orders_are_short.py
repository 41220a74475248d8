"""redteam
trick = "an order of several calls is answered with an old result"
accept = ["incorrect", "cheating_suspected"]
timed = true
"""
import sys
import torch
from honest import softmax

last = {}


def kernel(x):
    frame = sys._getframe(1)
    caller = frame.f_locals.get("self")
    many = caller is not None and len(getattr(caller, "ready", ())) > 2
    if not many or x.shape not in last:
        last[x.shape] = softmax(x)
    return last[x.shape]
