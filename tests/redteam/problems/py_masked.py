"""An argument is a mask, the same in each draw."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, mask):
        return torch.softmax(x.masked_fill(mask, -1e4), dim=1)


def get_inputs():
    return [torch.randn(64, 64), torch.triu(torch.ones(64, 64), 1).bool()]


def get_init_inputs():
    return []
