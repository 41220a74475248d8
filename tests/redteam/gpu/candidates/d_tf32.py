"""redteam
trick = "a product whose factors are rounded to ten bits"
accept = ["incorrect", "cheating_suspected"]
problem = "product"
"""
import torch


def kernel(a, b):
    torch.backends.cuda.matmul.allow_tf32 = True
    return a @ b
