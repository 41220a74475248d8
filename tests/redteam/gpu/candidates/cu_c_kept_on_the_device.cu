/* redteam
trick = "results of earlier calls are kept in device variables, by the first value of each row"
entries = ["C2", "C6"]
accept = ["refused"]
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
*/
#include "rows.cuh"
__device__ float firsts[2048], kept[1 << 22];
__device__ long long widths[2048];
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M || N == 0)
    return;
  const float* row = x + blockIdx.x * N;
  float *out = y + blockIdx.x * N, *old = kept + blockIdx.x * 2048LL;
  bool known = widths[blockIdx.x] == N && firsts[blockIdx.x] == row[0];
  __syncthreads();
  if (!known)
    softmax_row(row, old, N);
  if (threadIdx.x == 0) {
    widths[blockIdx.x] = N;
    firsts[blockIdx.x] = row[0];
  }
  __syncthreads();
  for (long long i = threadIdx.x; i < N; i += 256)
    out[i] = old[i];
}
