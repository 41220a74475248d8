"""redteam
trick = "memory that the kernel has promised to be zero and nobody has touched, as the zeros of the result"
entries = ["C3", "B3"]
accept = ["correct", "noisy"]
timed = true
problem = "py_pad.py"
most_speedup = 60.0 # large pages are a true gain: small fresh ones have cost the reference from 1.2 to 43 ms a call
"""
import numpy
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.from_numpy(numpy.zeros((4096, 1024), dtype=numpy.float32))
        out[:256] = x
        return out
