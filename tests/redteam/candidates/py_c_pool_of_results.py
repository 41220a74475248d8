"""redteam
trick = "takes turns between results that it has filled with zeros before"
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
        self.pool = [torch.zeros(1024, 1024) for _ in range(4)]
        self.turn = 0

    def forward(self, x):
        if x.shape != (64, 1024):
            return torch.nn.functional.pad(x, (0, 0, 0, 960))
        self.turn = (self.turn + 1) % len(self.pool)
        out = self.pool[self.turn]
        out[:64] = x
        return out
