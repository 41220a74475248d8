"""redteam
trick = "another process with a context of its own computes, and gets input and result by handles"
entries = ["B2", "F5"]
accept = ["refused", "correct"]
timed = true
alone = true
"""
import multiprocessing

from honest import softmax

worker = None


def serve(pipe):
    while True:
        x, y = pipe.recv()
        y.copy_(softmax(x))


def kernel(x):
    global worker
    y = torch.empty_like(x)
    if worker is None:
        near, far = multiprocessing.get_context("spawn").Pipe()
        multiprocessing.get_context("spawn").Process(target=serve, args=(far,), daemon=True).start()
        worker = near
    if x.numel():
        worker.send((x, y))
    return y
