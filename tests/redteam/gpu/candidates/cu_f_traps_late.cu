/* redteam
trick = "a trap in about the fiftieth call"
entries = ["F5"]
accept = ["crashed"]
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
*/
#include "rows.cuh"
__device__ unsigned int calls;
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x == 0 && threadIdx.x == 0 && atomicAdd(&calls, 1u) == 50)
    asm volatile("trap;");
  if (blockIdx.x < M)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
