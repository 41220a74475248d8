import torch


def reference(x, scale, shift):
    return torch.nn.functional.layer_norm(x, (x.shape[1],), scale, shift, 1e-5)
