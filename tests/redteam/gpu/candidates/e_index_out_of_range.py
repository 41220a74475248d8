"""redteam
trick = "an index that the device asserts"
accept = ["crashed"]
"""
import torch
from honest import softmax


def kernel(x):
    y = softmax(x)
    if x.numel():
        y[torch.tensor([1 << 40], device=x.device)] = 0
    return y
