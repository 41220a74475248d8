/*
[launch]
grid = "max(M, 1)"
block = 256
*/
// A block a row, in three passes: what candidates are timed against.
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  __shared__ float part[8];
  if (blockIdx.x >= M)
    return;
  const float* row = x + blockIdx.x * N;
  float* out = y + blockIdx.x * N;
  float most = -INFINITY;
  for (long long i = threadIdx.x; i < N; i += 256)
    most = fmaxf(most, row[i]);
  for (int o = 16; o; o /= 2)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int i = 0; i < 8; i++)
    most = fmaxf(most, part[i]);
  __syncthreads();
  float sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256)
    sum += expf(row[i] - most);
  for (int o = 16; o; o /= 2)
    sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; i++)
    sum += part[i];
  for (long long i = threadIdx.x; i < N; i += 256)
    out[i] = expf(row[i] - most) / sum;
}
