"""redteam
trick = "the context is reset under the driver"
accept = ["crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
"""
import ctypes
import torch
from honest import softmax

cu = ctypes.CDLL("libcuda.so.1")


def kernel(x):
    y = softmax(x)
    torch.cuda.synchronize()
    cu.cuDevicePrimaryCtxReset_v2(0)
    return y
