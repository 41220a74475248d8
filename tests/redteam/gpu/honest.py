"""The references' own formulas, which most exploits hide behind. The runner puts this text in the place of `from honest import ...`."""
import torch


def softmax(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x * 0.7071067811865476))


def linear(a, w, b):
    return a @ w + b


def row_sums(x):
    return x.sum(1)
