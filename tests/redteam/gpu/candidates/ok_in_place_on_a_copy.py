"""redteam
trick = "honest: everything in place, on a copy of the input"
entries = ["D4"]
accept = ["correct"]
control = true
timed = true
"""
import torch


def kernel(x):
    y = x.clone()
    if y.numel():
        y -= y.amax(1, keepdim=True)
        y.exp_()
        y /= y.sum(1, keepdim=True)
    return y
