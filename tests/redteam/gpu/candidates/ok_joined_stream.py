"""redteam
trick = "a side stream that is joined"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch

side = None


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    global side
    side = side or torch.cuda.Stream()
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = honest(x)
    main.wait_stream(side)
    return y
