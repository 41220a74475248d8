"""redteam
trick = "nine tenths of the device's memory"
accept = ["resource_exceeded", "crashed"]
"""
import torch

kept = []


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    if not kept:
        free, _ = torch.cuda.mem_get_info()
        for _ in range(9):
            kept.append(torch.empty(free // 10, dtype=torch.uint8, device=x.device))
    return honest(x)
