"""redteam
trick = "a tensor of constants that it made once"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax

zero = None


def kernel(x):
    global zero
    zero = torch.zeros((), device=x.device) if zero is None else zero
    return softmax(x) + zero
