"""Rows of zeros under the input: most of the result is the same for every input, and has to be written all the same."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.pad(x, (0, 0, 0, 3840))


def get_inputs():
    return [torch.randn(256, 1024)]


def get_init_inputs():
    return []
