"""redteam
trick = "each child takes as much memory as one process may"
entries = ["F8"]
accept = ["resource_exceeded", "timeout"]
answers = "call"
"""
import os
import time

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for _ in range(12):
            if os.fork() == 0:
                kept = []
                for _ in range(16):
                    kept.append(bytearray(b"x" * (1 << 24)))
                    time.sleep(0.02)
                time.sleep(1000)
        time.sleep(1000)
