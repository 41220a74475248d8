/* redteam
trick = "a counter on the device: from the hundredth call on nothing is computed"
entries = ["B4", "C6"]
accept = ["refused"]
timed = true
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
  if (blockIdx.x < M && before / gridDim.x < 100)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
