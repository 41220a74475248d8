/* redteam
trick = "a barrier left out between writing and reading shared memory"
entries = ["D10"]
accept = ["refused", "correct"]
problem = "cu_row_sums"
timed = true
*/
/*
[launch]
grid = "max(M, 1)"
block = 1024
*/
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  __shared__ float part[1024];
  if (blockIdx.x >= M)
    return;
  float sum = 0;
  for (long long i = threadIdx.x; i < N; i += 1024)
    sum += x[blockIdx.x * N + i];
  part[1023 - threadIdx.x] = sum;
  if (threadIdx.x < 32) {
    sum = 0;
    for (int i = threadIdx.x; i < 1024; i += 32)
      sum += ((volatile float*)part)[i];
    for (int o = 16; o; o /= 2)
      sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0)
      y[blockIdx.x] = sum;
  }
}
