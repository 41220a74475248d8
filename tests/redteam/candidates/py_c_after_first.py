"""redteam
trick = "nothing after the first call of a shape: the old output may still be there"
entries = ["C4", "F1"]
accept = ["incorrect", "nondeterministic"]
"""
import driver
import torch

calls = [0]
real = driver.Caller.written


def sometimes(self, results, *places):
    if calls[0] < 2:
        real(self, results, *places)


driver.Caller.written = sometimes
driver.Caller.run.__defaults__ = (0, driver.Caller.view, sometimes, driver.Caller.plan)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        calls[0] += 1
        return torch.softmax(x, 1) if calls[0] < 2 else x
