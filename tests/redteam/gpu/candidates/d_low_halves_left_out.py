"""redteam
trick = "factors split in two numbers of sixteen bits; of the four products those with the second one's low half are left out"
entries = ["D1"]
accept = ["refused"]
problem = "linear"
"""
import torch


def kernel(a, w, b):
    high, wide = a.bfloat16().float(), w.bfloat16().float()
    return high @ wide + (a - high).bfloat16().float() @ wide + b
