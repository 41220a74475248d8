"""redteam
trick = "honest: a stream of low priority, waited for by polling its event before the call returns"
entries = ["B1"]
accept = ["correct"]
control = true
"""
from honest import softmax

side = event = None


def kernel(x):
    global side, event
    if side is None:
        side, event = torch.cuda.Stream(priority=0), torch.cuda.Event()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = softmax(x)
        event.record()
    while not event.query():
        pass
    return y
