"""What hostile code looks for in its own process. The runner puts this text in the place of `from hunt import ...`."""
import ctypes
import gc

import torch

try:
    cu = ctypes.CDLL("libcuda.so.1")
except OSError:
    cu = None


def objects(kind):
    """The driver's, by the name of their class."""
    return [o for o in gc.get_objects() if type(o).__name__ == kind]


def words():
    """The page of orders as 32-bit words: the one writable shared map of a megabyte."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            span, access = line.split()[:2]
            start, end = (int(v, 16) for v in span.split("-"))
            if access.startswith("rw") and access.endswith("s") and end - start == 1 << 20 and "/dev/nvidia" not in line:
                return (ctypes.c_uint32 * (1 << 18)).from_address(start)
    return (ctypes.c_uint32 * (1 << 18))()


RUN, FINISHED = 3, 4  # what is asked, and how it ended
ASKED, REQUEST, ANSWERED, ANSWER = 0, 1, 16, 17  # places in the page


class Memory:
    """Device memory by its address."""

    def __init__(self, address, count):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": "<f4", "data": (address, False), "version": 3, "strides": None}


def tensor_at(address, shape):
    count = 1
    for extent in shape:
        count *= extent
    return torch.as_tensor(Memory(address, count), device="cuda").view(shape)


def stream():
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
