"""redteam
trick = "honest: makes that parameter by other means, and multiplies"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "py_identity.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        mix = nn.Linear(features, features)
        self.w, self.b = nn.Parameter(torch.eye(features)), nn.Parameter(mix.bias.detach().clone())
        self.w = nn.Parameter(self.w.detach().t().contiguous())

    def forward(self, x):
        return torch.addmm(self.b, x, self.w).tanh_()
