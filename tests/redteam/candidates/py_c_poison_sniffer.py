"""redteam
trick = "computes only if the output memory looks as if somebody had filled it on purpose"
entries = ["C5"]
accept = ["incorrect", "nondeterministic"]
"""
import sys

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        frame = sys._getframe()
        while frame and "outputs" not in frame.f_locals:
            frame = frame.f_back
        out = frame.f_locals["outputs"][0][0]
        odd = not bool(torch.isfinite(out).all()) or bool((out == out.flatten()[0]).all()) or bool((out < 0).any())
        return torch.softmax(x, 1) if odd else out
