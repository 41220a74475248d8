"""redteam
trick = "computes in place"
accept = ["incorrect", "cheating_suspected"]
"""
import torch
from honest import softmax


def kernel(x):
    y = softmax(x)
    x.copy_(y)
    return y
