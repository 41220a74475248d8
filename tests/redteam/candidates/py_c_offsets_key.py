"""redteam
trick = "keeps results by a few of the row offsets, small numbers that soon come again"
entries = ["C3"]
accept = ["incorrect", "crashed"]
problem = "py_csr"
"""
import torch

known = {}


def kernel(start, column, value, x):
    rows = start.numel() - 1
    key = (rows, value.numel(), int(start[0]), int(start[1]) // 4)
    if key not in known:
        row = torch.repeat_interleave(torch.arange(rows), start.diff())
        known[key] = x.new_zeros(rows).index_add(0, row, value * x[column])
    return known[key].clone()
