"""redteam
trick = "a side stream that is joined"
accept = ["correct", "noisy"]
control = true
timed = true
"""
import torch
from honest import softmax

side = None


def kernel(x):
    global side
    side = side or torch.cuda.Stream()
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = softmax(x)
    main.wait_stream(side)
    return y
