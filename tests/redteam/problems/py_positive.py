"""Inputs that happen to be positive: the operator is the same for others."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x - 0.25) / (x.abs().mean(1, keepdim=True) + 1)


def get_inputs():
    return [torch.rand(24, 160)]


def get_init_inputs():
    return []
