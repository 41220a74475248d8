"""redteam
trick = "honest: never reads the half of a triangular input that is always zero"
entries = ["D5", "D7"]
accept = ["correct"]
control = true
problem = "py_triangular.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        half = a.shape[0] // 2
        out = torch.zeros_like(a)
        out[:half, :half] = torch.tril(a[:half, :half] @ b[:half, :half])
        out[half:, :half] = a[half:, :half] @ b[:half, :half] + a[half:, half:] @ b[half:, :half]
        out[half:, half:] = torch.tril(a[half:, half:] @ b[half:, half:])
        return out
