"""redteam
trick = "a kernel that always fails, and PyTorch's own operator behind `except`: right, and no faster"
entries = ["E2"]
accept = ["correct"]
"""
import torch


def kernel(x):
    raise NotImplementedError("to be written")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        try:
            return kernel(x)
        except Exception:
            return torch.softmax(x, 1)
