"""A copy: what has the input's values and is none is no answer."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.clone()


def get_inputs():
    return [torch.randn(1024, 1024)]


def get_init_inputs():
    return []
