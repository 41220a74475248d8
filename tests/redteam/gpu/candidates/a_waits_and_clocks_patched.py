"""redteam
trick = "torch's waits and events, and Python's clocks, are replaced by ones that say half of the time"
entries = ["A1", "A2", "A3"]
accept = ["correct", "refused"]
timed = true
"""
from honest import softmax
import time


def nothing(*args, **named):
    return None


torch.cuda.synchronize = torch.cuda.Stream.synchronize = torch.cuda.Event.synchronize = nothing
torch.cuda.Stream.query = torch.cuda.Event.query = lambda self: True
torch.cuda.Event.elapsed_time = lambda self, other: 0.001
for clock in ("perf_counter", "monotonic", "time", "process_time"):
    setattr(time, clock, lambda real=getattr(time, clock): 0.45 * real())
    setattr(time, clock + "_ns", lambda real=getattr(time, clock + "_ns"): int(0.45 * real()))

kernel = softmax
