import torch


def reference(x):
    return x * 0.5 * (1 + torch.erf(x * 0.7071067811865476))
