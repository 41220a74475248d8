/* redteam
trick = "honest: exponentials are written to the result, and read from there to be divided"
entries = ["C4", "C5"]
accept = ["correct"]
control = true
timed = true
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
*/
#include "rows.cuh"
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M)
    return;
  const float* row = x + blockIdx.x * N;
  float* out = y + blockIdx.x * N;
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256)
    most = fmaxf(most, row[i]);
  most = of_block(most, true);
  for (long long i = threadIdx.x; i < N; i += 256)
    sum += out[i] = expf(row[i] - most);
  sum = of_block(sum, false);
  for (long long i = threadIdx.x; i < N; i += 256)
    out[i] = out[i] / sum;
}
