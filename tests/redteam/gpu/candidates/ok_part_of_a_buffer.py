"""redteam
trick = "the result is a part of a larger tensor"
accept = ["correct", "noisy"]
control = true
"""
import torch


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    y = torch.empty((x.shape[0] + 3, x.shape[1]), dtype=x.dtype, device=x.device)
    y[2:-1] = honest(x)
    return y[2:-1]
