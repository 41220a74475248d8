"""redteam
trick = "computes in its input and puts back afterwards what was there"
entries = ["D4"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax


def kernel(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    was = x.clone()
    y = x.sub_(x.amax(1, keepdim=True)).exp_()
    y = y / y.sum(1, keepdim=True)
    x.copy_(was)
    return y
