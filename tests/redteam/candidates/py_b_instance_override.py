"""redteam
trick = "a plain tensor whose own methods would compute"
entries = ["B3"]
accept = ["incorrect"]
"""
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        for name in ("contiguous", "clone", "cpu", "detach", "numpy", "tolist", "__array__", "__torch_function__", "__reduce_ex__"):
            try:
                setattr(y, name, lambda *a, **k: torch.softmax(x, 1))
            except (AttributeError, TypeError):
                pass
        return y
