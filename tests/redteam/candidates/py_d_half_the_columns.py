"""redteam
trick = "the second half of each row is taken for another first half"
entries = ["D5"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        half = x[:, : x.shape[1] // 2]
        top = half.amax(1, keepdim=True)
        return torch.exp(x - top) / (2 * torch.exp(half - top).sum(1, keepdim=True))
