"""redteam
trick = "the library's gelu, by the name of a layer"
entries = ["E3"]
accept = ["policy_violation"]
problem = "gelu"
timed = true
"""
import torch

layer = torch.nn.GELU()


def kernel(x):
    return layer(x)
