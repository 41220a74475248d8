import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, scale, shift, y, n, BLOCK: tl.constexpr):
    at, row = tl.arange(0, BLOCK), tl.program_id(0).to(tl.int64)
    inside = at < n
    v = tl.load(x + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(inside, v - mean, 0.0)
    inverse = 1.0 / tl.sqrt(tl.sum(d * d, 0) / n + 1e-5)
    s = tl.load(scale + at, mask=inside, other=0.0)
    b = tl.load(shift + at, mask=inside, other=0.0)
    tl.store(y + row * n + at, d * inverse * s + b, mask=inside)


def kernel(x, scale, shift):
    x, y = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        rows[(x.shape[0],)](x, scale.contiguous(), shift.contiguous(), y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
