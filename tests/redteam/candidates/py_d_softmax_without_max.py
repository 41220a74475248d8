"""redteam
trick = "a softmax that overflows beyond 88"
entries = ["D7"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x)
        return e / e.sum(1, keepdim=True)
