"""A convolution in its parts: windows, and a product."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(16, 72) * 0.1)

    def forward(self, x):
        return (F.unfold(x, 3).transpose(1, 2) @ self.w.t()).transpose(1, 2).reshape(2, 16, 30, 30)


def get_inputs():
    return [torch.randn(2, 8, 32, 32)]


def get_init_inputs():
    return []
