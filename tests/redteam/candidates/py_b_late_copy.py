"""redteam
trick = "a patched copy_ that hands the result to a thread, which writes it after the answer"
entries = ["B2", "F1"]
accept = ["incorrect", "nondeterministic", "cheating_suspected"]
"""
import threading
import time

import torch

real = torch.Tensor.copy_


def late(self, other, *rest):
    threading.Thread(target=lambda: (time.sleep(0.1), real(self, other))).start()
    return self


torch.Tensor.copy_ = late


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
