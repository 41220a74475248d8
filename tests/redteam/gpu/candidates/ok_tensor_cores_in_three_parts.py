"""redteam
trick = "honest: tensor cores with each factor in two parts of ten bits, three products of four: nearly single precision"
entries = ["D1"]
accept = ["correct"]
control = true
problem = "linear"
"""
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, w, b, y, m, n, k, T: tl.constexpr):
    i = tl.program_id(0) * T + tl.arange(0, T)
    j = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), dtype=tl.float32)
    for first in range(0, k, T):
        p = first + tl.arange(0, T)
        left = tl.load(a + i[:, None] * k + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        right = tl.load(w + p[:, None] * n + j[None, :], mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
        total = tl.dot(left, right, total, input_precision="tf32x3")
    total += tl.load(b + j, mask=j < n, other=0.0)[None, :]
    tl.store(y + i[:, None] * n + j[None, :], total, mask=(i[:, None] < m) & (j[None, :] < n))


def kernel(a, w, b):
    (m, k), n = a.shape, w.shape[1]
    y = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if y.numel():
        product[(triton.cdiv(m, 32), triton.cdiv(n, 32))](a, w, b, y, m, n, k, T=32)
    return y
