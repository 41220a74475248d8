"""redteam
trick = "the context is reset under the driver"
accept = ["crashed", "timeout", "resource_exceeded", "cheating_suspected", "incorrect", "policy_violation", "build_failed"]
"""
import ctypes
import torch

cu = ctypes.CDLL("libcuda.so.1")


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    y = honest(x)
    torch.cuda.synchronize()
    cu.cuDevicePrimaryCtxReset_v2(0)
    return y
