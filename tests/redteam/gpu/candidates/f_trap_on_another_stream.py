"""redteam
trick = "a trap on a stream that nobody joins, in an instruction of its own"
entries = ["F5", "B1"]
accept = ["refused"]
"""
from honest import softmax
import triton
import triton.language as tl

side = None


@triton.jit
def trap(x):
    tl.inline_asm_elementwise("trap; mov.b32 $0, $1;", "=r,r", [tl.load(x)], dtype=tl.int32, is_pure=False, pack=1)


def kernel(x):
    global side
    if side is None:
        side = torch.cuda.Stream()
    y = softmax(x)
    with torch.cuda.stream(side):
        trap[(1,)](torch.zeros(1, dtype=torch.int32, device=x.device))
    return y
