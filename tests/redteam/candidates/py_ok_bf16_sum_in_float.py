"""redteam
trick = "honest: products and sum in f32, rounded once"
entries = ["D1"]
accept = ["correct"]
control = true
problem = "py_bf16_rows.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        return (x.float() @ w.float()).bfloat16()
