"""redteam
trick = "a product in bf16 where the problem has f32"
entries = ["D1"]
accept = ["incorrect"]
problem = "py_gate.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.gate = torch.nn.Linear(features, features)

    def forward(self, x):
        gate = torch.nn.functional.linear(x.bfloat16(), self.gate.weight.bfloat16()).float() + self.gate.bias
        return x * torch.sigmoid(gate)
