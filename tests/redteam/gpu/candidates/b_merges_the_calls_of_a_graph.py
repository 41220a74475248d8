"""redteam
trick = "the same while a graph of the order is captured: one batch stands in it for all calls"
entries = ["B4"]
accept = ["correct", "refused"]
timed = true
problem = "softmax_graph"
"""
import sys

from honest import softmax

made = {}


def kernel(x):
    ready = getattr(sys._getframe(1).f_locals.get("self"), "ready", ())
    inputs = [arguments[0] for (arguments, *_), *_ in ready]
    if len(inputs) < 2 or x.numel() == 0 or any(one.shape != x.shape for one in inputs):
        return softmax(x)
    if x is inputs[0]:
        made.clear()
        for one, y in zip(inputs, softmax(torch.cat(inputs)).split(x.shape[0])):
            made[id(one)] = y
    y = made.pop(id(x), None)
    return softmax(x) if y is None else y
