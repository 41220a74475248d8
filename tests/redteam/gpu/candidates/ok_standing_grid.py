"""redteam
trick = "as many programs as the device has processors, each with many rows"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, y, m, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        v = tl.load(x + row.to(tl.int64) * n + at, mask=at < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row.to(tl.int64) * n + at, e / tl.sum(e, 0), mask=at < n)


def kernel(x):
    x, y = x.contiguous(), torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        grid = torch.cuda.get_device_properties(x.device).multi_processor_count
        rows[(grid,)](x, y, x.shape[0], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
