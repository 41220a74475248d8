"""redteam
trick = "the zeros of the result are the hole of a file that is mapped"
entries = ["C3", "B3"]
accept = ["correct", "noisy"]
timed = true
problem = "py_pad.py"
most_speedup = 1.6
"""
import mmap
import os

import torch

SIZE = 4096 * 1024 * 4


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.file = os.open("hole", os.O_RDWR | os.O_CREAT)
        os.ftruncate(self.file, SIZE)

    def forward(self, x):
        out = torch.frombuffer(mmap.mmap(self.file, SIZE, mmap.MAP_PRIVATE), dtype=torch.float32).view(4096, 1024)
        out[:256] = x
        return out
