"""redteam
trick = "the library's product"
accept = ["correct", "noisy"]
control = true
timed = true
problem = "product"
"""
import torch


def kernel(a, b):
    return torch.mm(a, b)
