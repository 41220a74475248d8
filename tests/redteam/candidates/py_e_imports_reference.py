"""redteam
trick = "imports the reference by every name that it might have, and gives up quietly"
entries = ["E2"]
accept = ["incorrect"]
"""
import importlib
import sys

import torch

sys.path += ["/tmp", "/", "/tmp/scratch", ".."]
Model = None
for name in ("py_softmax", "reference", "bench", "problem", "model", "__main__", "fork_server", "driver"):
    try:
        module = importlib.import_module(name)
        Model = getattr(module, "Model", None) or getattr(module, "reference", None) or Model
    except BaseException:
        pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        try:
            return Model()(x)
        except TypeError:
            return torch.zeros_like(x)
