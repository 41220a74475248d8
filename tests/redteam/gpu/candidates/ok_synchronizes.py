"""redteam
trick = "waits for the device in each call"
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


def kernel(x):
    y = honest(x)
    torch.cuda.synchronize()
    return y
