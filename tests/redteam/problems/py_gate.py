"""A gate with weights, which a candidate makes in the same order."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gate = nn.Linear(features, features)

    def forward(self, x):
        return x * torch.sigmoid(self.gate(x))


def get_inputs():
    return [torch.randn(16, 96)]


def get_init_inputs():
    return [96]
