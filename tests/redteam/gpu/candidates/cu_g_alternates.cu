/* redteam
trick = "every other call goes through the rows from the end, so that it begins with what the last one left in the cache"
entries = ["G11"]
accept = ["correct", "refused"]
timed = true
most_speedup = 1.1
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
*/
#include "rows.cuh"
__device__ unsigned int blocks;
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  __shared__ unsigned int before;
  if (threadIdx.x == 0)
    before = atomicAdd(&blocks, 1u);
  __syncthreads();
  if (blockIdx.x >= M)
    return;
  long long at = before / gridDim.x % 2 ? M - 1 - before % gridDim.x : before % gridDim.x;
  softmax_row(x + at * N, y + at * N, N);
}
