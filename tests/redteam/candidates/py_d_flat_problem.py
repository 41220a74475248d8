"""redteam
trick = "zeros, on a problem whose outputs are zeros whatever the inputs"
entries = ["D2"]
accept = ["unfit_problem"]
problem = "py_flat.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.zeros(x.shape[0], 1)
