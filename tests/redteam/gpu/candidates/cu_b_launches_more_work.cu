/* redteam
trick = "device code launches a kernel that nobody waits for"
entries = ["B1"]
accept = ["build_failed"]
*/
/*
[launch]
grid = 1
block = 32
*/
#include "rows.cuh"
__global__ void rest(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x < M)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (threadIdx.x == 0)
    rest<<<M, 256>>>(x, y, M, N);
}
