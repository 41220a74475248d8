"""redteam
trick = "Pipes, each full, until there are no more descriptors"
entries = ["F8"]
accept = ["resource_exceeded"]
"""
import os

import torch

kept = []
for _ in range(2500):
    kept.append(os.pipe())
    os.set_blocking(kept[-1][1], False)
    try:
        while os.write(kept[-1][1], b"x" * 65536):
            pass
    except BlockingIOError:
        pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
