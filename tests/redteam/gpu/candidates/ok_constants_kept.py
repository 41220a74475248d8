"""redteam
trick = "honest: tables of constants by a cache of the language, for each width and device"
entries = ["C3"]
accept = ["correct"]
control = true
problem = "row_sums"
"""
import functools

import torch


@functools.lru_cache(maxsize=64)
def ones(n, device):
    return torch.ones(n, dtype=torch.float32, device=device)


def kernel(x):
    return torch.mv(x, ones(x.shape[1], x.device))
