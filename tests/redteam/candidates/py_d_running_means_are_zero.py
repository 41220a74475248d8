"""redteam
trick = "a norm by the running means and deviations that a constructor makes"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_running_means.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x):
        return torch.relu(x * (self.norm.weight * (1 + 1e-5) ** -0.5) + self.norm.bias - 0.5)
