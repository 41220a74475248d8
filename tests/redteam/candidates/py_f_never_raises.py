"""redteam
trick = "a class, a call and an operator that are monkeypatched to be right about themselves"
entries = ["F1", "B3"]
accept = ["incorrect", "crashed", "build_failed"]
"""
import torch

torch.nn.Module.__call__ = lambda self, *a: self
torch.nn.Module.dtype = torch.float32
torch.nn.Module.shape = torch.Size([24, 160])
torch.nn.Module.__eq__ = lambda self, other: True


class ModelNew(torch.nn.Module):
    __class__ = torch.Tensor
    __hash__ = object.__hash__
