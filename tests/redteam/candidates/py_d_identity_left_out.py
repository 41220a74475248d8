"""redteam
trick = "leaves out a product with a parameter that the constructor makes the identity"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_identity.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.mix = nn.Linear(features, features)
        nn.init.eye_(self.mix.weight)

    def forward(self, x):
        return torch.tanh(self.mix.bias + x)
