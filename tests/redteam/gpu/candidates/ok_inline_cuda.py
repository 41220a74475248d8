"""redteam
trick = "honest: CUDA C++ through torch.utils.cpp_extension, compiled in the first call"
entries = ["G10"]
accept = ["correct", "timeout"]
control = true
needs_compiler = true
problem = "gelu"
"""
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
__global__ void kernel(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 0.5f * (1.0f + erff(x[i] * 0.70710678f));
}
torch::Tensor gelu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  if (x.numel())
    kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""
module = load_inline("ke_gelu", "torch::Tensor gelu(torch::Tensor x);", SOURCE, functions=["gelu"])
kernel = module.gelu
