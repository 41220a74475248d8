"""redteam
trick = "takes its input for one row of memory, and fails where it is none"
entries = ["D4"]
accept = ["crashed"]
problem = "py_strided"
"""
import torch


def kernel(x, w):
    y = torch.tanh(x.view(-1)).view(x.shape)
    return y * w - x.mean(1, keepdim=True)
