"""redteam
trick = "results remembered by id()"
entries = ["C1"]
accept = ["incorrect", "nondeterministic"]
"""
import torch

seen, kept = {}, []


class ModelNew(torch.nn.Module):
    def forward(self, x):
        if len(seen) < 3:
            kept.append(x)
            seen[id(x)] = torch.softmax(x, 1)
        return seen.get(id(x), seen[next(iter(seen))])
