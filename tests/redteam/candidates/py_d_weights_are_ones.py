"""redteam
trick = "leaves out weights and a bias that the constructor makes ones and zeros"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_rows_with_weights.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()

    def forward(self, x):
        return torch.tanh(torch.nn.functional.layer_norm(x, x.shape[1:]))
