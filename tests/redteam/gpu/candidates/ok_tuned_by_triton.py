"""redteam
trick = "honest: Triton's own tuning over sizes of blocks and warps, before its first result of a kind"
entries = ["G10"]
accept = ["correct"]
control = true
timed = true
problem = "gelu"
"""
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((256, 4), (1024, 4), (1024, 8))], key=["large"])
@triton.jit
def gelu(x, y, n, large, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(y + at, v * 0.5 * (1 + tl.erf(v * 0.7071067811865476)), mask=at < n)


def kernel(x):
    y = torch.empty_like(x)
    if x.numel():
        gelu[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel(), x.numel() > 1 << 16)
    return y
