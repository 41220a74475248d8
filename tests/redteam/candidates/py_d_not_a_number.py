"""redteam
trick = "nothing but NaN"
entries = ["D3"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, float("nan"))
