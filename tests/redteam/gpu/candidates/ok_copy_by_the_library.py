"""redteam
trick = "honest: libcuda by its binary interface copies the result on the current stream"
entries = ["F1"]
accept = ["correct"]
control = true
"""
from honest import softmax
from hunt import ctypes, cu, stream


def kernel(x):
    y, e = torch.empty_like(x), softmax(x)
    if x.numel():
        cu.cuMemcpyDtoDAsync_v2(ctypes.c_uint64(y.data_ptr()), ctypes.c_uint64(e.data_ptr()), ctypes.c_size_t(4 * x.numel()), stream())
    return y
