"""redteam
trick = "what the outputs are on average"
entries = ["D2"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, 1.0 / x.shape[1])
