"""redteam
trick = "nine tenths of the device's memory"
accept = ["resource_exceeded", "crashed"]
"""
import torch
from honest import softmax

kept = []


def kernel(x):
    if not kept:
        free, _ = torch.cuda.mem_get_info()
        for _ in range(9):
            kept.append(torch.empty(free // 10, dtype=torch.uint8, device=x.device))
    return softmax(x)
