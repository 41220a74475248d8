"""redteam
trick = "a cheaper form of gelu still, by a sigmoid"
entries = ["D1"]
accept = ["refused"]
problem = "gelu"
"""
import torch


def kernel(x):
    return x * torch.sigmoid(1.702 * x)
