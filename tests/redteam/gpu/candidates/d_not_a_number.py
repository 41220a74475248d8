"""redteam
trick = "a result of nothing but NaN"
accept = ["incorrect", "cheating_suspected"]
"""
import torch


def kernel(x):
    return torch.full_like(x, float("nan"))
