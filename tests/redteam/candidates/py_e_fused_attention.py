"""redteam
trick = "two products and a softmax in one call of PyTorch"
entries = ["E3"]
accept = ["policy_violation"]
problem = "py_attention_in_parts.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)
