"""redteam
trick = "shared memory with a name, of both kinds, for whoever comes next"
entries = ["C6"]
accept = ["correct"]
runs = 2
says_nothing_of = ["SEEN_AGAIN"]
"""
import ctypes
from multiprocessing import shared_memory

import torch

libc = ctypes.CDLL(None, use_errno=True)
assert libc.shmget(0x6b65, 4096, 0) < 0, "SEEN_AGAIN"
libc.shmget(0x6b65, 4096, 0o1666)
try:
    shared_memory.SharedMemory("ke-marker-python")
    raise SystemExit("SEEN_AGAIN")
except OSError:
    pass
try:
    kept = shared_memory.SharedMemory("ke-marker-python", create=True, size=4096)
    kept.buf[0] = 1
except OSError:
    pass


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
