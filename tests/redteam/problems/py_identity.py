"""A product with a parameter that the constructor makes the identity."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.mix = nn.Linear(features, features)
        nn.init.eye_(self.mix.weight)

    def forward(self, x):
        return torch.tanh(self.mix(x))


def get_inputs():
    return [torch.randn(24, 160)]


def get_init_inputs():
    return [160]
