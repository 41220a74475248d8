"""redteam
trick = "honest: relies on targets that are signs in every input"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "py_hinge.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, guesses, targets):
        return torch.relu(1 - torch.where(targets > 0, guesses, -guesses)).mean()
