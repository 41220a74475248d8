"""redteam
trick = "leaves out a norm that does nothing as its constructor makes it"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_running_means.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()

    def forward(self, x):
        return torch.relu(x - 0.5)
