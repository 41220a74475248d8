"""redteam
trick = "a sum in bf16 without every 32nd term"
entries = ["D5"]
accept = ["incorrect"]
problem = "py_bf16_rows.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        kept = torch.arange(x.shape[1]) % 32 != 20
        return (x[:, kept] * w[kept]).sum(1)
