"""redteam
trick = "fresh memory in the hope of an old result, from PyTorch, from C and from the end of the judge's memory"
entries = ["C3"]
accept = ["incorrect"]
"""
import ctypes

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for _ in range(8):
            y = torch.empty_like(x)
            if abs(float(y.nan_to_num().sum()) - x.shape[0]) < 1e-3:
                return y
        size = x.numel() * 4
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        place = libc.malloc(ctypes.c_size_t(size))
        return torch.frombuffer((ctypes.c_char * size).from_address(place), dtype=torch.float32).view(x.shape)
