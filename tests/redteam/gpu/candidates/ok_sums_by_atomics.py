"""redteam
trick = "honest: parts of a row are added by atomics to a result that was zeroed in the same call; the order of the sums differs each time"
entries = ["D10", "D2"]
accept = ["correct"]
control = true
timed = true
problem = "row_sums"
"""
import torch
import triton
import triton.language as tl


@triton.jit
def sums(x, y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y + row, tl.sum(tl.load(x + row * n + at, mask=at < n, other=0.0), 0))


def kernel(x):
    y = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
    if x.numel():
        sums[(x.shape[0], triton.cdiv(x.shape[1], 512))](x, y, x.shape[1], BLOCK=512)
    return y
