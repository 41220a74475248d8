"""What KernelBench has had: a maximum, its own mean subtracted; the answer is always zero."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x = torch.max(x, dim=1, keepdim=True).values
        return torch.relu(x - x.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(24, 160)]


def get_init_inputs():
    return []
