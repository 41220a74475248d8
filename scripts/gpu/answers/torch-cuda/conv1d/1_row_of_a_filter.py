import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, w, b, y, channels, length, out_length, filters, taps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sample, f = row // filters, row % filters
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(b + f)
    for c in range(channels):
        for k in range(taps):
            v = tl.load(x + (sample * channels + c) * length + at + k, mask=at < out_length, other=0.0)
            total += v * tl.load(w + (f * channels + c) * taps + k)
    tl.store(y + row * out_length + at, total, mask=at < out_length)


def kernel(x, w, b):
    (samples, channels, length), (filters, _, taps) = x.shape, w.shape
    out_length = length - taps + 1
    y = torch.empty((samples, filters, out_length), dtype=x.dtype, device=x.device)
    rows[(samples * filters, triton.cdiv(out_length, 256))](x.contiguous(), w.contiguous(), b.contiguous(), y, channels, length, out_length, filters, taps, BLOCK=256)
    return y
