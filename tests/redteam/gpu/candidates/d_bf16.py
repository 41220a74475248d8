"""redteam
trick = "in bf16"
accept = ["incorrect", "cheating_suspected"]
"""
import torch
from honest import softmax


def kernel(x):
    return softmax(x.bfloat16()).float()
