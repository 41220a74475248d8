"""redteam
trick = "a result of the exact type, whose class is changed on the way out to one that computes when it is looked at"
entries = ["B3"]
accept = ["refused"]
"""
from honest import softmax


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        plain = [softmax(a.source) if type(a) is Lazy else a for a in args]
        return super().__torch_function__(function, types, plain, kwargs or {})


def kernel(x):
    y = torch.empty_like(x)
    y.__class__ = Lazy
    y.source = x
    return y
