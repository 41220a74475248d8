"""redteam
trick = "threads that add without a lock"
entries = ["D8"]
accept = ["incorrect", "nondeterministic"]
"""
import random
import threading

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        total = [torch.zeros(x.shape[0], 1)]

        def add(part):
            old = total[0]
            got = old + part.sum(1, keepdim=True)
            if random.random() < 0.3:
                threading.Event().wait(0.0005)
            total[0] = got

        threads = [threading.Thread(target=add, args=(part,)) for part in e.chunk(4, 1)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return e / total[0]
