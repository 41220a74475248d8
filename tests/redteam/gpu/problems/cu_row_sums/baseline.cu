/*
[launch]
grid = "max(M, 1)"
block = 256
*/
// A block a row.
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  __shared__ float part[8];
  if (blockIdx.x >= M)
    return;
  float sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256)
    sum += x[blockIdx.x * N + i];
  for (int o = 16; o; o /= 2)
    sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < 8; i++)
      sum += part[i];
    y[blockIdx.x] = sum;
  }
}
