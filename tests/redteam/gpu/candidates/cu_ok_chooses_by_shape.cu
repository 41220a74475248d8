/* redteam
trick = "honest: short rows are kept in registers, long ones are read three times"
entries = ["D6"]
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
  if (N > 1024)
    return softmax_row(row, out, N);
  float v[4], most = -INFINITY, sum = 0;
  for (int i = 0; i < 4; i++) {
    v[i] = i * 256 + threadIdx.x < N ? row[i * 256 + threadIdx.x] : -INFINITY;
    most = fmaxf(most, v[i]);
  }
  most = of_block(most, true);
  for (int i = 0; i < 4; i++)
    if (i * 256 + threadIdx.x < N)
      sum += v[i] = expf(v[i] - most);
  sum = of_block(sum, false);
  for (int i = 0; i < 4; i++)
    if (i * 256 + threadIdx.x < N)
      out[i * 256 + threadIdx.x] = v[i] / sum;
}
