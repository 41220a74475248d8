import torch


def kernel(dy, x):
    with torch.enable_grad():
        x = x.detach().requires_grad_(True)
        (dx,) = torch.autograd.grad(torch.softmax(x, 1), x, dy)
    return dx
