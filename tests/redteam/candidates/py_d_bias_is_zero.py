"""redteam
trick = "leaves out a bias that the constructor makes zeros"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_rows_with_weights.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(features))

    def forward(self, x):
        return torch.tanh(torch.nn.functional.layer_norm(x, x.shape[1:], self.weight))
