import torch
import triton
import triton.language as tl


@triton.jit
def tiles(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, k, BK):
        p = first + tl.arange(0, BK)
        left = tl.load(a + i.to(tl.int64)[:, None] * k + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        right = tl.load(b + j.to(tl.int64)[:, None] * k + p[None, :], mask=(j[:, None] < n) & (p[None, :] < k), other=0.0)
        total += tl.dot(left, tl.trans(right))
    tl.store(c + i.to(tl.int64)[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


def kernel(a, b):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[0]
    c = torch.empty((m, n), dtype=torch.float32, device=a.device)
    if c.numel():
        tiles[(triton.cdiv(m, 128), triton.cdiv(n, 128))](a, b, c, m, n, k, BM=128, BN=128, BK=64, num_warps=8)
    return c
