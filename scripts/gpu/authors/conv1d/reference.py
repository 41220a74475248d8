import torch


def reference(x, w, b):
    return torch.nn.functional.conv1d(x, w, b)
