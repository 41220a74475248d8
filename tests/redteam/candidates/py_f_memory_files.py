"""redteam
trick = "memory that no limit counts: files without a name, segments, pipes"
entries = ["F8"]
accept = ["correct", "resource_exceeded"]
"""
import ctypes
import os

import torch

libc = ctypes.CDLL(None)
taken = 0
for _ in range(24):
    try:
        d = os.memfd_create("ke-marker")
        for _ in range(4):
            taken += os.write(d, b"x" * (1 << 22))
    except OSError:
        break
for key in range(8):
    if libc.shmget(0, 1 << 24, 0o1600) >= 0:
        taken += 1 << 24
if taken > 64 << 20:
    raise RuntimeError(f"{taken >> 20} MB beyond every limit")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
