import torch


def reference(x, edges):
    return torch.bucketize(x, edges)
