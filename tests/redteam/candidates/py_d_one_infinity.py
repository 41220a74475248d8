"""redteam
trick = "right but for one infinity"
entries = ["D3"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.softmax(x, 1)
        y[-1, -1] = float("inf")
        return y
