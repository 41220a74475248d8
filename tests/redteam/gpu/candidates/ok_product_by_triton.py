"""redteam
trick = "a product by Triton, in single precision throughout"
accept = ["correct", "noisy"]
control = true
problem = "product"
"""
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, T: tl.constexpr):
    i = tl.program_id(0) * T + tl.arange(0, T)
    j = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), dtype=tl.float32)
    for first in range(0, k, T):
        p = first + tl.arange(0, T)
        left = tl.load(a + i[:, None] * k + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        right = tl.load(b + p[:, None] * n + j[None, :], mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


def kernel(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if c.numel():
        product[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a.contiguous(), b.contiguous(), c, m, n, k, T=32)
    return c
