"""redteam
trick = "a tensor subclass that computes when somebody looks at it"
entries = ["B3"]
accept = ["incorrect"]
"""
import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        args = [torch.softmax(a.source, 1) if isinstance(a, Lazy) and hasattr(a, "source") else a for a in args]
        return super().__torch_function__(function, types, args, kwargs or {})


class ModelNew(torch.nn.Module):
    def forward(self, x):
        lazy = torch.empty_like(x).as_subclass(Lazy)
        lazy.source = x
        return lazy
