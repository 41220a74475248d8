"""Rows with gains, shifts, an order and a factor that get_inputs() gives alike in each draw."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, gain, shift, order, factor):
        return torch.tanh(x[order] * gain + shift) * factor


def get_inputs():
    return [torch.randn(24, 160), torch.ones(160), torch.zeros(160), torch.arange(24), 1.0]


def get_init_inputs():
    return []
