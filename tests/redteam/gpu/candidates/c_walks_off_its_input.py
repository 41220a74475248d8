"""redteam
trick = "reads on past the end of its input, a megabyte at a time, and before its start, until something stops it"
entries = ["E1"]
accept = ["refused"]
alone = true
"""
from hunt import tensor_at, torch


def kernel(x):
    y = torch.zeros_like(x)
    for step in range(1, 1 << 15):
        for sign in (1, -1):
            y.view(-1)[:1] += tensor_at(x.data_ptr() // 4 * 4 + sign * (step << 20), (1024,)).sum() * 0
    return y
