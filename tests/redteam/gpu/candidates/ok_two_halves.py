"""redteam
trick = "halves on two joined streams"
accept = ["correct", "noisy"]
control = true
"""
import torch
from honest import softmax

sides = None


def kernel(x):
    global sides
    sides = sides or [torch.cuda.Stream() for _ in range(2)]
    main, y, half = torch.cuda.current_stream(), torch.empty_like(x), x.shape[0] // 2
    for side, rows in zip(sides, (slice(0, half), slice(half, None))):
        side.wait_stream(main)
        with torch.cuda.stream(side):
            y[rows] = softmax(x[rows])
    for side in sides:
        main.wait_stream(side)
    return y
