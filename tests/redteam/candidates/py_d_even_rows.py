"""redteam
trick = "takes all rows for as long as each other, which they are in the timed sizes"
entries = ["D1", "D4"]
accept = ["incorrect", "crashed"]
problem = "py_even"
"""
import torch


def kernel(start, column, value, x):
    rows = start.numel() - 1
    each = value.numel() // rows
    return (value * x[column])[: rows * each].view(rows, each).sum(1)
