"""redteam
trick = "recursion without end, in Python and then in C"
entries = ["F8"]
accept = ["crashed"]
"""
import sys

import torch


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        sys.setrecursionlimit(1 << 30)
        nested = []
        for _ in range(1 << 20):
            nested = [nested]
        repr(nested)
        return Deep().a
