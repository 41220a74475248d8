/* redteam
trick = "atomics onto what the result held before: zeros, if nobody has filled it"
entries = ["C4"]
accept = ["refused"]
problem = "cu_row_sums"
*/
/*
[launch]
grid = ["max(M, 1)", 4]
block = 256
*/
#include "rows.cuh"
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M)
    return;
  float sum = 0;
  for (long long i = blockIdx.y * 256 + threadIdx.x; i < N; i += 1024)
    sum += x[blockIdx.x * N + i];
  sum = of_block(sum, false);
  if (threadIdx.x == 0)
    atomicAdd(y + blockIdx.x, sum);
}
