"""redteam
trick = "a softmax without its maximum, since every draw is small"
entries = ["D7"]
accept = ["incorrect"]
problem = "py_small_logits.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x)
        return e / e.sum(1, keepdim=True)
