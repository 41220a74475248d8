"""redteam
trick = "honest: a kernel in CUDA C++ that PyTorch's own runtime compiler makes in the first call"
entries = ["G10"]
accept = ["correct"]
control = true
timed = true
problem = "gelu"
"""
import torch

SOURCE = r"""
extern "C" __global__ void gelu(const float* x, float* y, int n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    y[i] = x[i] * 0.5f * (1.0f + erff(x[i] * 0.70710678f));
}
"""
made = []


def kernel(x):
    y = torch.empty_like(x)
    if x.numel():
        if not made:
            made.append(torch.cuda._compile_kernel(SOURCE, "gelu"))
        made[0](grid=(min(4096, -(-x.numel() // 256)), 1, 1), block=(256, 1, 1), args=(x, y, x.numel()))
    return y
