"""redteam
trick = "a host function in the middle of the stream answers the order for the driver: what comes behind it is not waited for"
entries = ["B2", "F2"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax
from hunt import ANSWER, ANSWERED, ASKED, FINISHED, REQUEST, RUN, ctypes, cu, stream, words

page = words()


def answer(_):
    if page[REQUEST] == RUN:
        page[ANSWER] = FINISHED
        page[ANSWERED] = page[ASKED]


called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(answer)


def kernel(x):
    y, half = torch.empty_like(x), x.shape[0] // 4
    y[:half] = softmax(x[:half])
    cu.cuLaunchHostFunc(stream(), called, None)
    y[half:] = softmax(x[half:])
    return y
