/* redteam
trick = "about the fiftieth call never ends"
entries = ["F7"]
accept = ["timeout"]
alone = true
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
    while (*(volatile unsigned int*)&calls)
      ;
  if (blockIdx.x < M)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
