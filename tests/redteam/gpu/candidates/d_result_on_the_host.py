"""redteam
trick = "the result lies on the host: somebody else will copy it"
entries = ["D8", "B1"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax


def kernel(x):
    return softmax(x).cpu()
