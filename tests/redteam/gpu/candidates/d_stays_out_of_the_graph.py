"""redteam
trick = "a capture gets an empty kernel; the work is done by the host at capture time, on inputs that are not there yet"
entries = ["B6", "B5"]
accept = ["refused"]
problem = "softmax_graph"
timed = true
"""
from honest import softmax
from hunt import ctypes, cu

side = None


def kernel(x):
    global side
    if not torch.cuda.is_current_stream_capturing():
        side = side or torch.cuda.Stream()
        return softmax(x)
    y = torch.empty_like(x)
    mode = ctypes.c_int(2)
    cu.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
    with torch.cuda.stream(side):
        y.copy_(softmax(x))
    cu.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
    return y
