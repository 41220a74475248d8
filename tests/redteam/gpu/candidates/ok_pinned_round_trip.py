"""redteam
trick = "honest: sums of rows go through pinned memory of the host and back, on the current stream"
entries = ["B1"]
accept = ["correct"]
control = true
problem = "row_sums"
"""
import torch

stages = {}


def kernel(x):
    sums = x.sum(1)
    if x.shape[0] not in stages:
        stages[x.shape[0]] = torch.empty(sums.shape, dtype=sums.dtype, pin_memory=True)
    stage = stages[x.shape[0]]
    stage.copy_(sums, non_blocking=True)
    torch.cuda.current_stream().synchronize()
    return stage.to(x.device, non_blocking=True)
