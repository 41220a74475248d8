"""redteam
trick = "reads its input from its first address on"
entries = ["D4"]
accept = ["incorrect", "crashed"]
problem = "py_strided"
"""
import ctypes

import torch


def kernel(x, w):
    flat = torch.frombuffer((ctypes.c_float * x.numel()).from_address(x.data_ptr()), dtype=torch.float32)
    x = flat.view(x.shape)
    return torch.tanh(x) * w - x.mean(1, keepdim=True)
