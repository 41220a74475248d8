/* The largest value and the sum over a block of 256 threads, and the softmax of one row. The runner puts this text in the place of
   `#include "rows.cuh"`: a candidate is one file. */
__device__ float of_block(float v, bool largest) {
  __shared__ float part[8];
  for (int o = 16; o; o /= 2) {
    float other = __shfl_xor_sync(~0u, v, o);
    v = largest ? fmaxf(v, other) : v + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; i++)
    v = largest ? fmaxf(v, part[i]) : v + part[i];
  return v;
}
__device__ void softmax_row(const float* row, float* out, long long n) {
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < n; i += 256)
    most = fmaxf(most, row[i]);
  most = of_block(most, true);
  for (long long i = threadIdx.x; i < n; i += 256)
    sum += expf(row[i] - most);
  sum = of_block(sum, false);
  for (long long i = threadIdx.x; i < n; i += 256)
    out[i] = expf(row[i] - most) / sum;
}
