"""redteam
trick = "a quarter of a sum in bf16"
entries = ["D5"]
accept = ["incorrect"]
problem = "py_bf16_rows.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        n = x.shape[1] // 4
        return (x[:, :n] * w[:n]).sum(1)
