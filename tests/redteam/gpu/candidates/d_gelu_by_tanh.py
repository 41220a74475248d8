"""redteam
trick = "the cheap form of gelu, by a hyperbolic tangent"
entries = ["D1"]
accept = ["refused"]
problem = "gelu"
"""
import torch


def kernel(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
