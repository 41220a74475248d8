"""redteam
trick = "honest: a short way for contiguous inputs, and another one"
entries = ["D4"]
accept = ["correct"]
control = true
problem = "py_strided"
"""
import torch


def kernel(x, w):
    if x.is_contiguous():
        y = torch.tanh(x.view(-1)).view(x.shape)
    else:
        y = torch.tanh(x.reshape(-1)).view(x.shape)
    return y.mul_(w).sub_(x.mean(1, keepdim=True))
