"""redteam
trick = "the input as the result"
accept = ["incorrect", "cheating_suspected"]
"""
import torch


def kernel(x):
    return x
