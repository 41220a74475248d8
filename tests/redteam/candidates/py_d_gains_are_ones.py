"""redteam
trick = "leaves out gains and shifts that are ones and zeros in each draw"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_alike_in_each_draw.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gain, shift, order, factor):
        return torch.tanh(x[order]) * factor
