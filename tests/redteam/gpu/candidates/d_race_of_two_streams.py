"""redteam
trick = "the result is copied from where another stream is still writing it"
entries = ["D10", "B1"]
accept = ["refused"]
"""
from honest import softmax

side = None


def kernel(x):
    global side
    if side is None:
        side = torch.cuda.Stream()
    y = torch.zeros_like(x)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        part = softmax(x)
        torch.cuda._sleep(400_000)  # some 200 us: the copy below comes first
        y.copy_(part)
    return y.clone()
