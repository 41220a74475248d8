import torch


def reference(x, t):
    return torch.nn.functional.cross_entropy(x.float(), t, reduction="none")
