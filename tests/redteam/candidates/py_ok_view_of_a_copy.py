"""redteam
trick = "honest: a copy in another shape, seen in the right one; and what it returned before is kept for a while"
entries = ["D4"]
accept = ["correct"]
control = true
problem = "py_clone.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before = []

    def forward(self, x):
        self.before = [*self.before[-2:], x.reshape(-1).clone()]
        return self.before[-1].view(x.shape)
