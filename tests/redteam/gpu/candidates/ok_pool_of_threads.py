"""redteam
trick = "honest: two threads that live on between calls launch a half each, and are waited for"
entries = ["B2"]
accept = ["correct"]
control = true
timed = true
"""
from concurrent.futures import ThreadPoolExecutor

from honest import softmax

pool = ThreadPoolExecutor(2)


def part(stream, x, y):
    with torch.no_grad(), torch.cuda.stream(stream):
        y.copy_(softmax(x))


def kernel(x):
    y, half, stream = torch.empty_like(x), x.shape[0] // 2, torch.cuda.current_stream()
    jobs = [pool.submit(part, stream, x[rows], y[rows]) for rows in (slice(0, half), slice(half, None))]
    for job in jobs:
        job.result()
    return y
