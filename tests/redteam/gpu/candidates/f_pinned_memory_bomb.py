"""redteam
trick = "64 GB of pinned memory of the host, which no limit of address space bounds"
entries = ["F5"]
accept = ["refused"]
alone = true
"""
from honest import softmax
from hunt import ctypes, cu

held = []


def kernel(x):
    place = ctypes.c_void_p()
    while len(held) < 64:
        if cu.cuMemHostAlloc(ctypes.byref(place), ctypes.c_size_t(1 << 30), 0):
            raise MemoryError("no more pinned memory")
        held.append(place.value)
    return softmax(x)
