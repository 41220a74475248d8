"""redteam
trick = "eight bytes at a time, aligned or not"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "gelu"
"""
import torch


def kernel(x):
    n = x.numel() // 2 * 2
    y = torch.empty_like(x)
    pairs = x[:n].view(torch.int64).clone()
    y[:n] = pairs.view(torch.float32)
    y[n:] = x[n:]
    return y * 0.5 * (1 + torch.erf(y * 0.7071067811865476))
