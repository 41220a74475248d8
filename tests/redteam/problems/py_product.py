"""One core, bound by computation, tens of milliseconds a call: beside them the fixed cost of a call is small, and work done twice takes twice as long."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        return x @ w


def get_inputs():
    return [torch.randn(768, 768), torch.randn(768, 768)]


def get_init_inputs():
    return []
