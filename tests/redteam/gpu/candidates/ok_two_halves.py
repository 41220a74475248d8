"""redteam
trick = "halves on two joined streams"
accept = ["correct", "noisy"]
control = true
"""
import torch

sides = None


def honest(x):
    if x.numel() == 0:
        return torch.empty_like(x)
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


def kernel(x):
    global sides
    sides = sides or [torch.cuda.Stream() for _ in range(2)]
    main, y, half = torch.cuda.current_stream(), torch.empty_like(x), x.shape[0] // 2
    for side, rows in zip(sides, (slice(0, half), slice(half, None))):
        side.wait_stream(main)
        with torch.cuda.stream(side):
            y[rows] = honest(x[rows])
    for side in sides:
        main.wait_stream(side)
    return y
