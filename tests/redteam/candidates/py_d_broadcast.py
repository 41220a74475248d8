"""redteam
trick = "one row that would broadcast to the right shape"
entries = ["D4"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x[:1], 1)
