"""As py_pad, in a quarter of the memory: what it takes to check a call leaves time for many."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.pad(x, (0, 0, 0, 960))


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
