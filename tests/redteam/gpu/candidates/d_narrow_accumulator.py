"""redteam
trick = "sums of rows in half precision, tile by tile"
entries = ["D2"]
accept = ["refused"]
problem = "row_sums"
"""
import torch


def kernel(x):
    total = torch.zeros(x.shape[0], dtype=torch.float16, device=x.device)
    for part in x.half().split(64, 1):
        total += part.sum(1)
    return total.float()
