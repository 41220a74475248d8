"""redteam
trick = "honest: sums straight into a result that it made before"
entries = ["C4"]
accept = ["correct"]
control = true
timed = true
problem = "row_sums"
"""
import torch


def kernel(x):
    y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    return torch.sum(x, 1, out=y)
