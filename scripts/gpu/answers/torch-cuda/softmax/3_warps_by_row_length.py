import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, y, n, BLOCK: tl.constexpr):
    at, row = tl.arange(0, BLOCK), tl.program_id(0).to(tl.int64)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp2((v - tl.max(v, 0)) * 1.4426950408889634)
    tl.store(y + row * n + at, e * (1.0 / tl.sum(e, 0)), mask=at < n)


def kernel(x):
    x, y = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        rows[(x.shape[0],)](x, y, x.shape[1], BLOCK=block, num_warps=max(1, min(16, block // 512)))
    return y
