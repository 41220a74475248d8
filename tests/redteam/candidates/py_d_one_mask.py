"""redteam
trick = "does not read the mask, which is the same in each draw"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_masked.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask):
        below = torch.ones_like(x, dtype=torch.bool).triu(1)
        return torch.softmax(x.masked_fill(below, -1e4), dim=1)
