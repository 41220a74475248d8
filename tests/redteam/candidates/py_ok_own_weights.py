"""redteam
trick = "honest: makes the same parameters by other means and other names, and folds one of them while it is made"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "py_rows_with_weights.py"
"""
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((1, features), 1.0), requires_grad=False)
        self.shift = torch.nn.Parameter(torch.empty(features))
        self.shift.data.zero_()
        self.both = torch.stack([self.scale[0], self.shift]).detach()

    def forward(self, x):
        weight, bias = self.both
        y = x - x.mean(1, keepdim=True)
        y = y * torch.rsqrt((y * y).mean(1, keepdim=True) + 1e-5)
        return torch.addcmul(bias, y, weight).tanh_()
