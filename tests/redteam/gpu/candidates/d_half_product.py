"""redteam
trick = "a product in sixteen bits"
accept = ["incorrect", "cheating_suspected"]
problem = "product"
"""
import torch


def kernel(a, b):
    return (a.half() @ b.half()).float()
