"""redteam
trick = "memory without end"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
"""
import torch

kept = []


class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            kept.append(torch.ones(1 << 22))
