"""redteam
trick = "has the results ready from the generator, whose source it was shown, and the seeds that it finds in its process"
entries = ["E2"]
accept = ["incorrect", "crashed"]
problem = "py_csr"
"""
import gc
import random
import sys

import torch


def make(key, rows, columns, entries):
    g = torch.Generator().manual_seed(key)
    row = torch.randint(rows, (entries,), generator=g).sort().values
    start = torch.searchsorted(row, torch.arange(rows + 1))
    column = torch.randint(columns, (entries,), generator=g)
    return start, column, torch.randn(entries, generator=g), torch.randn(columns, generator=g)


def seeds():
    found = {torch.initial_seed(), random.getstate()[1][0], 0, 1, 42}
    for thing in gc.get_objects():
        seed = getattr(thing, "seed", None) if type(thing).__module__ in ("driver", "__main__") else None
        if type(seed) is int:
            found |= {seed, seed >> 1, seed << 1}
    for frame in sys._current_frames().values():
        while frame:
            found |= {v for v in frame.f_locals.values() if type(v) is int and 0 < v < 1 << 63}
            frame = frame.f_back
    return found


def kernel(start, column, value, x):
    rows = start.numel() - 1
    for seed in seeds():
        again, column_again, value_again, x_again = make(seed, rows, x.numel(), value.numel())
        if torch.equal(value_again[:1], value[:1]):
            row = torch.repeat_interleave(torch.arange(rows), again.diff())
            return x.new_zeros(rows).index_add(0, row, value_again * x_again[column_again])
    return x.new_zeros(rows)
