"""redteam
trick = "leaves out an absolute value, since every draw is positive"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_positive.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x - 0.25) / (x.mean(1, keepdim=True) + 1)
