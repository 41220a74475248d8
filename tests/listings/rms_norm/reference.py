import torch


def reference(x, r, w):
    s = x + r
    v = s.float()
    return s, (v * torch.rsqrt((v * v).mean(1, keepdim=True) + 1e-6)).to(x.dtype) * w
