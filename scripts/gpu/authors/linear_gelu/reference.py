import torch


def reference(x, w, b):
    return torch.nn.functional.gelu(x @ w + b)
