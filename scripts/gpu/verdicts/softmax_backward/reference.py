import torch


def reference(dy, x):
    with torch.enable_grad():
        x = x.detach().requires_grad_(True)
        return torch.autograd.grad(torch.softmax(x, 1), x, dy)[0]
