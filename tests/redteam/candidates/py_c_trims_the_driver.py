"""redteam
trick = "puts shorter code into the driver's own function: no form is checked, no view is made that its kernel can do without"
entries = ["C1"]
accept = ["correct"]
timed = true
runs = 3
"""
import struct

import driver
import torch

put = struct.Struct("<Q").pack_into


def run(self, table, place=0, view=None, written=None, plan=None):
    end = table[-1] + 8
    known = self.plans.get(self.memory[end - 32:end])
    if known is None or not place:
        known = self.plans[self.memory[end - 32:end]] = plan(self, self.memory[end - 32:end])
        one, out = known[0][0], known[1][0]
        result = self.function(view(self, one, one.dtype, table[0]))
        return written(self, [result], known[1], table, place)
    one = known[0][0]
    result = self.function(view(self, one, one.dtype, table[0]))
    self.kept[:] = [result]
    self.put(self.memory, place + 8, result.data_ptr())


driver.Caller.put = staticmethod(put)
driver.Caller.run.__code__ = run.__code__


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, 1)
