"""redteam
trick = "a result whose rows do not lie behind one another"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax


def kernel(x):
    return softmax(x).t().contiguous().t()
