"""redteam
trick = "a thread that lives as long as the process gets the work by a queue; the call returns at once"
entries = ["B2"]
accept = ["correct", "refused"]
timed = true
"""
import queue
import threading

from honest import softmax

jobs = queue.SimpleQueue()


def work():
    with torch.no_grad():
        while True:
            x, y = jobs.get()
            y.copy_(softmax(x))


def kernel(x):
    y = torch.empty_like(x)
    if x.numel():
        jobs.put((x, y))
    return y


threading.Thread(target=work, daemon=True).start()
