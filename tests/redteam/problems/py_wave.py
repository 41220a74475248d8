"""One core, bound by computation, some milliseconds a call: for tricks that are about time."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.tanh(x) * torch.exp(-x * x) + torch.sin(x)


def get_inputs():
    return [torch.randn(128, 2048)]


def get_init_inputs():
    return []
