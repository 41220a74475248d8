"""redteam
trick = "never answers"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
"""
import threading

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        threading.Event().wait()
