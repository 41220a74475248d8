"""redteam
trick = "a thread waits for the end of an empty event and then launches the half that is missing"
entries = ["B1", "B2"]
accept = ["correct", "refused"]
timed = true
"""
import threading

from honest import softmax

event = None


def rest(x, y, half):
    with torch.no_grad():
        event.synchronize()
        y[half:] = softmax(x[half:])


def kernel(x):
    global event
    if event is None:
        event = torch.cuda.Event()
    y, half = torch.empty_like(x), x.shape[0] // 2
    y[:half] = softmax(x[:half])
    event.record()
    threading.Thread(target=rest, args=(x, y, half)).start()
    return y
