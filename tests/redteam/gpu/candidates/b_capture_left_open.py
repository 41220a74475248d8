"""redteam
trick = "a capture in global mode stays open on another stream: every wait of the process fails from then on, and returns at once"
entries = ["B1", "A3"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax
from hunt import ctypes, cu

side = None


def kernel(x):
    global side
    y = softmax(x)
    if side is None:
        side = torch.cuda.Stream()
        cu.cuStreamBeginCapture_v2(ctypes.c_void_p(side.cuda_stream), 0)
    return y
