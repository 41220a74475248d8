"""redteam
trick = "honest: Gluon, with a layout of its own"
entries = ["D7"]
accept = ["correct"]
control = true
timed = true
problem = "gelu"
"""
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def gelu(x, y, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    v = gl.load(x + at, mask=at < n, other=0.0)
    gl.store(y + at, v * 0.5 * (1 + gl.erf(v * 0.7071067811865476)), mask=at < n)


def kernel(x):
    y = torch.empty_like(x)
    if x.numel():
        gelu[(triton.cdiv(x.numel(), 512),)](x, y, x.numel(), BLOCK=512, num_warps=4)
    return y
