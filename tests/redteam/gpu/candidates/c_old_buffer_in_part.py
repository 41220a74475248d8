"""redteam
trick = "half of the rows are computed into the buffer of the last call"
accept = ["incorrect", "cheating_suspected"]
"""
import torch
from honest import softmax

old = {}


def kernel(x):
    y = old.setdefault(x.shape, torch.zeros_like(x))
    half = x.shape[0] // 2
    if x.numel():
        y[half:] = softmax(x[half:])
    return y
