/* redteam
trick = "rows are summed up to a multiple of 32 columns, as if zeros lay behind them"
entries = ["D7"]
accept = ["refused"]
problem = "cu_row_sums"
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
  float sum = 0;
  for (long long i = threadIdx.x; i < (N + 31) / 32 * 32; i += 256)
    sum += x[blockIdx.x * N + i];
  sum = of_block(sum, false);
  if (threadIdx.x == 0)
    y[blockIdx.x] = sum;
}
