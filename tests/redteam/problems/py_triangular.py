"""A product of triangular matrices: a candidate may leave out what is zero in every input."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(torch.matmul(a, b))


def get_inputs():
    return [torch.tril(torch.randn(64, 64)), torch.tril(torch.randn(64, 64))]


def get_init_inputs():
    return []
