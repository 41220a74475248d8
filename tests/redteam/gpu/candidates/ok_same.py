"""redteam
trick = "the reference's own formula"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch
from honest import softmax


kernel = softmax
