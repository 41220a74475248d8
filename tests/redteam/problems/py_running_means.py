"""A norm by running means that no training has changed yet; most of the results are zeros."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)
        self.eval()

    def forward(self, x):
        return torch.relu(self.norm(x) - 0.5)


def get_inputs():
    return [torch.randn(24, 160)]


def get_init_inputs():
    return [160]
