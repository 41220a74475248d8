import torch


def reference(x, w):
    return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * w
