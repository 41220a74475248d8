"""redteam
trick = "sorts the entries' rows out for the first matrix of a size, and takes every later one for the same"
entries = ["C2"]
accept = ["incorrect", "crashed"]
problem = "py_csr"
"""
import torch

rows_of = {}


def kernel(start, column, value, x):
    key = (start.numel(), value.numel())
    if key not in rows_of:
        rows_of[key] = torch.repeat_interleave(torch.arange(start.numel() - 1), start.diff())
    return x.new_zeros(start.numel() - 1).index_add(0, rows_of[key], value * x[column])
