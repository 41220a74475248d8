/* redteam
trick = "exponentials and their sum in half precision"
entries = ["D1"]
accept = ["refused"]
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
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256)
    most = fmaxf(most, row[i]);
  most = of_block(most, true);
  for (long long i = threadIdx.x; i < N; i += 256)
    sum += __half2float(__float2half(expf(row[i] - most)));
  sum = of_block(sum, false);
  for (long long i = threadIdx.x; i < N; i += 256)
    y[blockIdx.x * N + i] = __half2float(__float2half(expf(row[i] - most))) / sum;
}
