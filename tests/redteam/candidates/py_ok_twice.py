"""redteam
trick = "honest: does the work twice"
entries = ["G5"]
accept = ["correct"]
control = true
problem = "py_product.py"
timed = true
most_speedup = 0.55
least_speedup = 0.45
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        for _ in range(2):
            y = x @ w
        return y
