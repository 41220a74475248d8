"""redteam
trick = "honest: an operator function, for every shape"
entries = ["D6"]
accept = ["correct"]
control = true
problem = "py_rows"
"""
import torch


def kernel(x, w):
    return x * (w * torch.rsqrt(x.square().mean(1, keepdim=True).add_(1e-5)))
