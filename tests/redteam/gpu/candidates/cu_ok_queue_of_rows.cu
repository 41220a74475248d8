/* redteam
trick = "honest: a standing grid takes rows from a queue, whose counter a first launch sets to zero"
entries = ["B4", "G4"]
accept = ["correct"]
control = true
timed = true
*/
/*
[[launch]]
entry = "begin"
grid = 1
block = 32
[[launch]]
entry = "rows"
grid = 264
block = 256
*/
#include "rows.cuh"
__device__ unsigned int next_row;
extern "C" __global__ void begin(const float* x, float* y, long long M, long long N) {
  if (threadIdx.x == 0)
    next_row = 0;
}
extern "C" __global__ void rows(const float* x, float* y, long long M, long long N) {
  __shared__ unsigned int mine;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0)
      mine = atomicAdd(&next_row, 1u);
    __syncthreads();
    long long m = mine;
    if (m >= M)
      return;
    softmax_row(x + m * N, y + m * N, N);
  }
}
