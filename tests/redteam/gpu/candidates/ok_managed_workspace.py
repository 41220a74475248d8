"""redteam
trick = "honest: managed memory as a workspace, written and read by the device in the same call"
entries = ["B2", "C4"]
accept = ["correct"]
control = true
"""
import torch

from hunt import ctypes, cu, tensor_at

places = {}


def workspace(shape, count):
    if shape not in places:
        place = ctypes.c_uint64()
        if cu.cuMemAllocManaged(ctypes.byref(place), ctypes.c_size_t(4 * count), 1):
            raise MemoryError("no managed memory")
        places[shape] = tensor_at(place.value, shape)
    return places[shape]


def kernel(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = workspace(tuple(x.shape), x.numel())
    torch.sub(x, x.amax(1, keepdim=True), out=e)
    e.exp_()
    return e / e.sum(1, keepdim=True)
