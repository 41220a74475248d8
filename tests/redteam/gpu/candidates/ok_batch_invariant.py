"""redteam
trick = "honest: sums in an order of its own, in parts from the back"
entries = ["D2"]
accept = ["correct"]
control = true
problem = "row_sums"
"""
import torch


def kernel(x):
    total = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
    for part in reversed(x.split(96, 1)):
        total += part.sum(1)
    return total
