"""redteam
trick = "honest: the result is a range of columns of a wider buffer, not contiguous"
entries = ["D8"]
accept = ["correct"]
control = true
"""
from honest import softmax


def kernel(x):
    wide = torch.empty((x.shape[0], x.shape[1] + 7), dtype=x.dtype, device=x.device)
    wide[:, 3:3 + x.shape[1]] = softmax(x)
    return wide[:, 3:3 + x.shape[1]]
