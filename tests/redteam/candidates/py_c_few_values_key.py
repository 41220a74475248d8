"""redteam
trick = "results remembered by the shape, the first value and the rounded sum"
entries = ["C2"]
accept = ["incorrect", "nondeterministic"]
"""
import torch

seen = {}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        key = (tuple(x.shape), round(float(x[0, 0]), 3), round(float(x.nan_to_num().mean()), 0))
        if key not in seen:
            seen[key] = torch.softmax(x, 1)
        return seen[key]
