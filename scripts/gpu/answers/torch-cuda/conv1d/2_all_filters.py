import torch
import triton
import triton.language as tl


@triton.jit
def tiles(x, w, b, y, channels, length, out_length, filters, taps, F: tl.constexpr, BLOCK: tl.constexpr):
    sample = tl.program_id(0)
    at, f = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK), tl.program_id(2) * F + tl.arange(0, F)
    total = tl.zeros((F, BLOCK), dtype=tl.float32) + tl.load(b + f, mask=f < filters, other=0.0)[:, None]
    for c in range(channels):
        for k in range(taps):
            v = tl.load(x + (sample * channels + c) * length + at + k, mask=at < out_length, other=0.0)
            u = tl.load(w + (f * channels + c) * taps + k, mask=f < filters, other=0.0)
            total += u[:, None] * v[None, :]
    place = (sample * filters + f[:, None]) * out_length + at[None, :]
    tl.store(y + place, total, mask=(f[:, None] < filters) & (at[None, :] < out_length))


def kernel(x, w, b):
    (samples, channels, length), (filters, _, taps) = x.shape, w.shape
    out_length = length - taps + 1
    y = torch.empty((samples, filters, out_length), dtype=x.dtype, device=x.device)
    grid = (samples, triton.cdiv(out_length, 128), triton.cdiv(filters, 16))
    tiles[grid](x.contiguous(), w.contiguous(), b.contiguous(), y, channels, length, out_length, filters, taps, F=16, BLOCK=128)
    return y
