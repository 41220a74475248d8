"""Rows with weights and a bias that the constructor makes ones and zeros."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return torch.tanh(self.norm(x))


def get_inputs():
    return [torch.randn(24, 160)]


def get_init_inputs():
    return [160]
