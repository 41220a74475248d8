"""redteam
trick = "honest: rounded products, added in blocks"
entries = ["D1"]
accept = ["correct"]
control = true
problem = "py_bf16_rows.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        return (x * w).view(x.shape[0], 32, -1).sum(2).float().sum(1).bfloat16()
