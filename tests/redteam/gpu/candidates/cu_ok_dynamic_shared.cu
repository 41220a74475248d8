/* redteam
trick = "honest: the row lies in dynamic shared memory, whose size is an expression of the shape"
entries = ["F5"]
accept = ["correct"]
control = true
timed = true
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
shared = "4 * N + 4"
*/
#include "rows.cuh"
extern __shared__ float kept[];
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M)
    return;
  const float* row = x + blockIdx.x * N;
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256)
    most = fmaxf(most, kept[i] = row[i]);
  most = of_block(most, true);
  for (long long i = threadIdx.x; i < N; i += 256)
    sum += kept[i] = expf(kept[i] - most);
  sum = of_block(sum, false);
  for (long long i = threadIdx.x; i < N; i += 256)
    y[blockIdx.x * N + i] = kept[i] / sum;
}
