"""redteam
trick = "threads without end"
entries = ["F8"]
accept = ["resource_exceeded", "crashed", "timeout"]
answers = "call"
"""
import threading

import torch

never = threading.Event()


class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            threading.Thread(target=never.wait, daemon=True).start()
