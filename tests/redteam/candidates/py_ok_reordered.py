"""redteam
trick = "honest: other order of the sums, pairwise"
entries = ["D1"]
accept = ["correct"]
control = true
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        parts = [p.sum(1, keepdim=True) for p in e.flip(1).chunk(7, 1)]
        while len(parts) > 1:
            parts = [sum(parts[i: i + 2]) for i in range(0, len(parts), 2)]
        return e * (1 / parts[0])
