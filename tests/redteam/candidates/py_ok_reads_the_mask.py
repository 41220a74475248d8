"""redteam
trick = "honest: adds a mask that it makes of the one it is given"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "py_masked.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask):
        return torch.softmax(torch.where(mask, x.new_full((), -1e4), x), dim=-1)
