"""redteam
trick = "a result on the device `meta`: shape and type, and no memory"
entries = ["D8"]
accept = ["refused"]
"""
import torch


def kernel(x):
    return torch.empty_like(x, device="meta")
