"""redteam
trick = "a stream of high priority that is joined"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax

side = None


def kernel(x):
    global side
    side = side or torch.cuda.Stream(priority=-1)
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = softmax(x)
    main.wait_stream(side)
    return y
