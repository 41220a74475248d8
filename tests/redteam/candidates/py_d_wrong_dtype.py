"""redteam
trick = "the right values in another type"
entries = ["D4"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x.double(), 1)
