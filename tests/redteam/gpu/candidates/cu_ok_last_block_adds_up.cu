/* redteam
trick = "honest: partial sums in device variables; the block that comes last adds them up and sets the counter back"
entries = ["B4", "C6"]
accept = ["correct"]
control = true
timed = true
problem = "cu_row_sums"
*/
/*
[launch]
grid = ["max(M, 1)", 4]
block = 256
*/
#include "rows.cuh"
__device__ float parts[2048][4];
__device__ unsigned int arrived[2048];
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M)
    return;
  float sum = 0;
  for (long long i = blockIdx.y * 256 + threadIdx.x; i < N; i += 1024)
    sum += x[blockIdx.x * N + i];
  sum = of_block(sum, false);
  if (threadIdx.x)
    return;
  ((volatile float*)parts[blockIdx.x])[blockIdx.y] = sum;
  __threadfence();
  if (atomicAdd(&arrived[blockIdx.x], 1u) < 3)
    return;
  __threadfence();
  sum = 0;
  for (int i = 0; i < 4; i++)
    sum += ((volatile float*)parts[blockIdx.x])[i];
  y[blockIdx.x] = sum;
  arrived[blockIdx.x] = 0;
}
