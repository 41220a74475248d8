"""redteam
trick = "Empty files without number in /dev/shm, and says nothing of it"
entries = ["F8"]
accept = ["resource_exceeded"]
"""
import os

import torch

try:
    for i in range(300_000):
        os.close(os.open(f"/dev/shm/{i}", os.O_CREAT | os.O_WRONLY))
except OSError:
    pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
