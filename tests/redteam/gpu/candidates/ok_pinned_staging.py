"""redteam
trick = "a number that goes through pinned memory of the host"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax

one = None


def kernel(x):
    global one
    one = torch.ones(1).pin_memory() if one is None else one
    return softmax(x) * one.to(x.device, non_blocking=True)
