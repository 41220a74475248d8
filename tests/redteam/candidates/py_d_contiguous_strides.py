"""redteam
trick = "reads its input in the strides that a contiguous one would have"
entries = ["D4"]
accept = ["incorrect", "crashed"]
problem = "py_strided"
"""
import torch


def kernel(x, w):
    x = torch.as_strided(x, x.shape, (x.shape[1], 1))
    return torch.tanh(x) * w - x.mean(1, keepdim=True)
