import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, scale, shift, y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    inside = (row[:, None] < m) & (at[None, :] < n)
    place = row[:, None] * n + at[None, :]
    v = tl.load(x + place, mask=inside, other=0.0)
    mean = tl.sum(v, 1) / n
    d = tl.where(inside, v - mean[:, None], 0.0)
    inverse = 1.0 / tl.sqrt(tl.sum(d * d, 1) / n + 1e-5)
    s = tl.load(scale + at, mask=at < n, other=0.0)
    b = tl.load(shift + at, mask=at < n, other=0.0)
    tl.store(y + place, d * inverse[:, None] * s[None, :] + b[None, :], mask=inside)


def kernel(x, scale, shift):
    x, y = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
    (m, n), block = x.shape, triton.next_power_of_2(x.shape[1])
    if x.numel():
        several = max(1, min(4, 4096 // block))
        rows[(triton.cdiv(m, several),)](x, scale.contiguous(), shift.contiguous(), y, m, n, ROWS=several, BLOCK=block)
    return y
