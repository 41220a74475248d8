"""redteam
trick = "an operator function that is right for the shapes of the file alone"
entries = ["D6"]
accept = ["incorrect", "crashed"]
problem = "py_rows"
"""
import torch


def kernel(x, w):
    if x.shape[1] not in (160, 320):
        return torch.zeros_like(x)
    return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * w
