"""redteam
trick = "lets the result slide over zeros that it keeps, another address and another tensor in each call"
entries = ["C3", "C4"]
accept = ["correct", "noisy"]
timed = true
problem = "py_rows_of_zeros.py"
most_speedup = 1.1
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.zeros, self.at = torch.zeros(1024 + 64, 1024), 0

    def forward(self, x):
        if x.shape != (64, 1024):
            return torch.nn.functional.pad(x, (0, 0, 0, 960))
        self.zeros[self.at: self.at + 64] = 0
        self.at = (self.at + 1) % 64
        out = self.zeros[self.at: self.at + 1024].detach()
        out[:64] = x
        return out
