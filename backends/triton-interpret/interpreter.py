"""What the warm parent has done once before it forks: Triton's interpreter, ready, and a driver in place of the device that is not there.

A candidate asks Triton's driver for a device's facts, and for a benchmark where it tunes itself. Here the facts are those of the device
that documents mean, and a benchmark runs nothing and prefers at random: time says nothing under an interpreter, so over the processes of
a judgement each configuration is met. Nothing here is believed of a candidate; what it launched is told, not judged.
"""
import random

import torch
import triton
import triton.language as tl
import triton.testing
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.runtime import interpreter

H200 = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32, "sm_clock_rate": 1980000,
        "mem_clock_rate": 3201000, "mem_bus_width": 6144}
launched = {}  # by name of a kernel: launches, programs


class Utils:
    """What a device would say of itself; nothing is loaded onto it."""

    def get_device_properties(self, device):
        return dict(H200)


class Driver(DriverBase):
    """Of no device: tensors are the CPU's, kernels are interpreted."""

    def __init__(self):
        self.utils = Utils()

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cpu

    def get_benchmarker(self):
        return preference


def preference(call, *unused, quantiles=None, **options):
    """For a benchmark: seconds that mean nothing, so that one of the configurations is taken at random."""
    return [random.SystemRandom().random()] * len(quantiles) if quantiles else random.SystemRandom().random()


def noting(run):
    """InterpretedFunction.run, with a note of each launch that ended well."""

    def noted(self, *arguments, grid, warmup, **options):
        counted = grid
        if callable(grid):
            def counted(meta):
                noted.extents = grid(meta)
                return noted.extents
        noted.extents = grid
        result = run(self, *arguments, grid=counted, warmup=warmup, **options)
        if not warmup:
            programs = 1
            for extent in noted.extents:
                programs *= int(extent)
            of = launched.setdefault(self.fn.__name__, [0, 0])
            of[0] += 1
            of[1] += programs
        return result

    return noted


def observed():
    """Lines on what was launched since the last time (backends/evidence/kernel_launches.hpp)."""
    lines = ["launched"] + [f"launch {count} {programs} {name}" for name, (count, programs) in launched.items()]
    launched.clear()
    return lines


@triton.jit
def row_sums(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(y + row, tl.sum(tl.load(x + row * n + at, mask=at < n, other=0.0), 0))


def warm_up(observers):
    """Called by fork_server.py. `observers`: what driver.py asks around a profiled call."""
    triton.runtime.driver.set_active(Driver())
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = preference
    x, y = torch.ones(2, 3), torch.empty(2)
    row_sums[(2,)](x, y, 3, BLOCK=4)
    if y.tolist() != [3.0, 3.0]:
        raise SystemExit(f"triton-interpret: Triton's interpreter adds three ones to {y.tolist()}; is TRITON_INTERPRET=1 set?")
    interpreter.InterpretedFunction.run = noting(interpreter.InterpretedFunction.run)
    observers.append(observed)
