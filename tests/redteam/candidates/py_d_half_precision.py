"""redteam
trick = "half the width inside"
entries = ["D1"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x.half(), 1).float()
