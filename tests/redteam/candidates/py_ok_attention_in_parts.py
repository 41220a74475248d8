"""redteam
trick = "honest: calls the softmax that the reference calls, and products"
entries = ["E3"]
accept = ["correct"]
control = true
problem = "py_attention_in_parts.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        scores = torch.baddbmm(q.new_zeros(()), q, k.transpose(1, 2), beta=0, alpha=0.125)
        return torch.bmm(torch.nn.functional.softmax(scores, -1), v)
