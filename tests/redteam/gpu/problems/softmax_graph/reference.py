import torch


def reference(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)
