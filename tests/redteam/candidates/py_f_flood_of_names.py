"""redteam
trick = "Temporary files without number: no page, but a kilobyte of the kernel each"
entries = ["F8"]
accept = ["resource_exceeded"]
"""
import os
import tempfile

import torch

for _ in range(300_000):
    os.close(tempfile.mkstemp()[0])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
