import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, scale, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0) * tl.load(scale + row)
    v = tl.clamp(v, -448.0, 448.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(y + row * n + i, v.to(tl.float8e4nv), mask=i < n)


def kernel(x, scale):
    x, scale = x.contiguous(), scale.contiguous()
    m, n = x.shape
    y = torch.empty((m, n), dtype=torch.float8_e4m3fn, device=x.device)
    if y.numel():
        rows[(m, triton.cdiv(n, 1024))](x, scale, y, n, BLOCK=1024)
    return y
