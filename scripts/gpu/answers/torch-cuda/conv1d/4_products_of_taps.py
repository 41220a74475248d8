import torch
import triton
import triton.language as tl


@triton.jit
def products(x, w, b, y, channels, length, filters, out_length, TAPS: tl.constexpr, BF: tl.constexpr, BL: tl.constexpr, BC: tl.constexpr):
    # for each tap positions x channels times channels x filters, by tensor cores in three products
    sample = tl.program_id(2).to(tl.int64)
    f = tl.program_id(1) * BF + tl.arange(0, BF)
    t = tl.program_id(0) * BL + tl.arange(0, BL)
    total = tl.zeros((BL, BF), tl.float32) + tl.load(b + f, mask=f < filters, other=0.0)[None, :]
    for first in range(0, channels, BC):
        c = first + tl.arange(0, BC)
        for tap in tl.static_range(TAPS):
            u = tl.load(w + (f[None, :] * channels + c[:, None]) * TAPS + tap, mask=(f[None, :] < filters) & (c[:, None] < channels), other=0.0)
            v = tl.load(x + (sample * channels + c[None, :]) * length + t[:, None] + tap, mask=(c[None, :] < channels) & (t[:, None] < out_length), other=0.0)
            total = tl.dot(v, u, total, input_precision="tf32x3")
    tl.store(y + (sample * filters + f[None, :]) * out_length + t[:, None], total, mask=(f[None, :] < filters) & (t[:, None] < out_length))


def kernel(x, w, b):
    (samples, channels, length), (filters, _, taps) = x.shape, w.shape
    out_length = length - taps + 1
    y = torch.empty((samples, filters, out_length), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(out_length, 64), triton.cdiv(filters, 16), samples)
    products[grid](x.contiguous(), w.contiguous(), b.contiguous(), y, channels, length, filters, out_length, TAPS=taps, BF=16, BL=64, BC=16, num_warps=2, num_stages=1)
    return y
