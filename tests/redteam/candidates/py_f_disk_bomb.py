"""redteam
trick = "fills every place that may be written"
entries = ["F8"]
accept = ["correct", "resource_exceeded", "crashed"]
"""
import os

import torch

written = 0
for place in ("/tmp/scratch", "/dev/shm", "/tmp", "/var/tmp", "/run"):
    for i in range(8):
        try:
            with open(f"{place}/ke-marker-{i}", "wb", 0) as f:
                while True:
                    written += f.write(b"x" * (1 << 20))
        except OSError:
            pass
if written > 128 << 20:
    raise RuntimeError(f"{written >> 20} MB written")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
