"""A softmax in its parts, as a problem that allows no vendor library may have it."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True)


def get_inputs():
    return [torch.randn(128, 4000)]


def get_init_inputs():
    return []
