"""redteam
trick = "the reference's own formula"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


kernel = honest
