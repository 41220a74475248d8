"""Bound by memory: copying a result would cost as much as computing it. Keeps its own output, as a candidate may."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        self.out = getattr(self, "out", torch.empty_like(x))
        return torch.clamp(x, min=0, out=self.out)


def get_inputs():
    return [torch.randn(1024, 1024)]


def get_init_inputs():
    return []
