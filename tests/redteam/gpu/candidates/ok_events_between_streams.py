"""redteam
trick = "honest: three streams, ordered by events, the last of which the caller's stream waits for"
entries = ["B1"]
accept = ["correct"]
control = true
timed = true
"""
from honest import softmax

streams, events = [], []


def kernel(x):
    if not streams:
        streams.extend(torch.cuda.Stream() for _ in range(2))
        events.extend(torch.cuda.Event() for _ in range(3))
    y, half = torch.empty_like(x), x.shape[0] // 2
    main = torch.cuda.current_stream()
    events[0].record(main)
    for one, event, rows in zip(streams, events[1:], (slice(0, half), slice(half, None))):
        one.wait_event(events[0])
        with torch.cuda.stream(one):
            y[rows] = softmax(x[rows])
            event.record(one)
        y.record_stream(one)
        main.wait_event(event)
    return y
