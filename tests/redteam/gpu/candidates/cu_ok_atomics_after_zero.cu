/* redteam
trick = "honest: a launch zeroes the result, the next one adds parts of each row to it by atomics"
entries = ["C4", "D10"]
accept = ["correct"]
control = true
timed = true
problem = "cu_row_sums"
*/
/*
[[launch]]
entry = "zero"
grid = "max(ceildiv(M, 256), 1)"
block = 256
[[launch]]
entry = "add"
grid = ["max(M, 1)", 4]
block = 256
*/
#include "rows.cuh"
extern "C" __global__ void zero(const float* x, float* y, long long M, long long N) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < M)
    y[i] = 0;
}
extern "C" __global__ void add(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M)
    return;
  float sum = 0;
  for (long long i = blockIdx.y * 256 + threadIdx.x; i < N; i += 1024)
    sum += x[blockIdx.x * N + i];
  sum = of_block(sum, false);
  if (threadIdx.x == 0)
    atomicAdd(y + blockIdx.x, sum);
}
