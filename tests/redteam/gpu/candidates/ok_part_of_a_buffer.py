"""redteam
trick = "the result is a part of a larger tensor"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax


def kernel(x):
    y = torch.empty((x.shape[0] + 3, x.shape[1]), dtype=x.dtype, device=x.device)
    y[2:-1] = softmax(x)
    return y[2:-1]
