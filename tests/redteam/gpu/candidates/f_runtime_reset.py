"""redteam
trick = "cudaDeviceReset in the twelfth call"
entries = ["F5"]
accept = ["refused"]
alone = true
"""
from honest import softmax
from hunt import ctypes

calls = 0


def kernel(x):
    global calls
    calls += 1
    y = softmax(x)
    if calls == 12:
        torch.cuda.synchronize()
        runtime = getattr(torch.cuda.cudart(), "cudaDeviceReset", None)
        runtime() if runtime else ctypes.CDLL("libcudart.so." + torch.version.cuda.split(".")[0]).cudaDeviceReset()
    return y
