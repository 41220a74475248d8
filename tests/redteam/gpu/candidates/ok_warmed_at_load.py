"""redteam
trick = "honest: makes its table and runs its kernels once on rubbish while it is loaded"
entries = ["G10", "B5"]
accept = ["correct"]
control = true
timed = true
problem = "linear"
"""
from honest import linear

for size in (16, 512):
    rubbish = torch.ones(size, size, device="cuda")
    linear(rubbish, rubbish, rubbish[0])
torch.cuda.synchronize()


def kernel(a, w, b):
    return torch.addmm(b, a, w)
