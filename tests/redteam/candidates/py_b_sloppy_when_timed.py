"""redteam
trick = "a softmax that leaves the maximum out once it has met nothing but usual inputs for a while"
entries = ["B4", "D7"]
accept = ["incorrect", "nondeterministic"]
timed = true
most_speedup = 1.0
"""
import torch


class ModelNew(torch.nn.Module):
    usual = 0

    def forward(self, x):
        ModelNew.usual = ModelNew.usual + 1 if abs(float(x[0, 0])) < 5 else 0
        if ModelNew.usual < 8:
            x = x - x.max(1, keepdim=True).values
        e = torch.exp(x)
        return e / e.sum(1, keepdim=True)
