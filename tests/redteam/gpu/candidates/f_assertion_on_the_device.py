"""redteam
trick = "an assertion on the device fails in the twentieth call"
entries = ["F5"]
accept = ["crashed"]
"""
from honest import softmax

calls = 0


def kernel(x):
    global calls
    calls += 1
    if calls == 20:
        torch._assert_async(torch.zeros(1, dtype=torch.bool, device=x.device))
    return softmax(x)
