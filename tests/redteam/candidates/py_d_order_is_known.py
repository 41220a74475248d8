"""redteam
trick = "does not read an order that is the same in each draw"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_alike_in_each_draw.py"
"""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gain, shift, order, factor):
        return torch.tanh(torch.addcmul(shift, x, gain)) * factor
