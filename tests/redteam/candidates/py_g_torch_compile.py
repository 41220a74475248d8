"""redteam
trick = "torch.compile: honest, but its compiler may not have the time; an honest state with a clear reason"
entries = ["G10"]
accept = ["correct", "timeout", "crashed", "resource_exceeded"]
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.f = torch.compile(lambda x: torch.softmax(x, 1), dynamic=True)

    def forward(self, x):
        return self.f(x)
