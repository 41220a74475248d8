"""redteam
trick = "recursion that no stack is deep enough for"
entries = ["F8"]
accept = ["crashed"]
"""
import sys

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        sys.setrecursionlimit(1 << 30)
        nested = []
        for _ in range(1 << 18):
            nested = [nested]
        return repr(nested)
