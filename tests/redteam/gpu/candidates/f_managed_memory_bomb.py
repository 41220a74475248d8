"""redteam
trick = "managed memory, more than the device has, touched by the host"
entries = ["F5"]
accept = ["refused"]
alone = true
"""
from honest import softmax
from hunt import ctypes, cu

held = []


def kernel(x):
    place = ctypes.c_uint64()
    while len(held) < 96:
        if cu.cuMemAllocManaged(ctypes.byref(place), ctypes.c_size_t(1 << 30), 1):
            raise MemoryError("no more managed memory")
        ctypes.memset(place.value, 1, 1 << 30)
        held.append(place.value)
    return softmax(x)
