"""redteam
trick = "replaces the driver's functions, classes and modules by ones that are content with anything"
entries = ["F1"]
accept = ["incorrect"]
"""
import sys
import types

import driver
import torch

driver.written = lambda *a: None
driver.Caller.run = lambda self, *table: None
driver.WrongForm = type("Never", (Exception,), {})
fake = types.ModuleType("driver")
sys.modules["driver"] = sys.modules["fork_server"] = sys.modules["box"] = fake


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return "correct"
