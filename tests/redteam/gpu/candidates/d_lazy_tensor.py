"""redteam
trick = "a tensor that computes when it is looked at"
accept = ["incorrect", "cheating_suspected"]
"""
import torch
from honest import softmax


class Lazy(torch.Tensor):
    pass


def kernel(x):
    return softmax(x).as_subclass(Lazy)
