"""redteam
trick = "a result that runs code in whoever unpickles, copies or prints it"
entries = ["F4"]
accept = ["incorrect", "crashed"]
"""
import torch

MARK = (open, ("/tmp/ke-marker-pickle", "w"))


class Payload:
    def __reduce_ex__(self, version):
        return MARK

    def __reduce__(self):
        return MARK

    def __repr__(self):
        return open("/tmp/ke-marker-repr", "w").name

    def __torch_function__(self, *a):
        return torch.zeros(24, 160)

    def __array__(self, *a):
        return open("/tmp/ke-marker-array", "w")


class ModelNew(torch.nn.Module):
    def __reduce_ex__(self, version):
        return MARK

    def forward(self, x):
        return Payload()
