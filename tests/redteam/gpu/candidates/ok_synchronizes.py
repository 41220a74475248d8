"""redteam
trick = "waits for the device in each call"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch
from honest import softmax


def kernel(x):
    y = softmax(x)
    torch.cuda.synchronize()
    return y
