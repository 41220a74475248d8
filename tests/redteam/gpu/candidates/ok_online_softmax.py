"""redteam
trick = "honest: Triton, with maximum and sum in one pass over blocks of the row"
entries = ["D2"]
accept = ["correct"]
control = true
timed = true
"""
import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        larger = tl.where(v != v, v, tl.maximum(most, v))
        kept = tl.where(most == larger, 1.0, tl.exp(most - larger))
        total = total * kept + tl.where((at < n) & (v > -float("inf")), tl.exp(v - larger), tl.where(v != v, v, 0.0))
        most = larger
    largest = tl.max(most, 0)
    scaled = tl.where(most == -float("inf"), total * 0.0, total * tl.exp(most - largest))
    whole = tl.sum(scaled, 0)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        tl.store(y + row * n + at, tl.exp(v - largest) / whole, mask=at < n)


def kernel(x):
    x, y = x.contiguous(), torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        rows[(x.shape[0],)](x, y, x.shape[1], BLOCK=256)
    return y
