"""redteam
trick = "all of the device's memory by libcuda, behind the back of PyTorch's allocator"
entries = ["F5"]
accept = ["resource_exceeded", "crashed", "cheating_suspected"]
alone = true
"""
from honest import softmax
from hunt import ctypes, cu

held = []


def kernel(x):
    y, place, size = softmax(x), ctypes.c_uint64(), 1 << 30
    while size >= 1 << 22 and len(held) < 4096:
        if cu.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(size)):
            size //= 2
        else:
            held.append(place.value)
    return y
