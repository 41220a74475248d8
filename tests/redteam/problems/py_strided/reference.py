import torch


def reference(x, w):
    return torch.tanh(x) * w - x.mean(1, keepdim=True)
