"""redteam
trick = "results kept by the address of the input's storage, its offset and its length"
entries = ["C1"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax

kept = {}


def kernel(x):
    key = (x.untyped_storage().data_ptr(), x.storage_offset(), x.shape, x.stride())
    if key not in kept:
        kept[key] = softmax(x)
    return kept[key]
