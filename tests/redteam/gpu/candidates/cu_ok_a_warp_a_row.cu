/* redteam
trick = "honest: a warp for each row, eight rows a block"
entries = ["D7"]
accept = ["correct"]
control = true
timed = true
*/
/*
[launch]
grid = "max(ceildiv(M, 8), 1)"
block = [32, 8]
*/
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  long long m = blockIdx.x * 8LL + threadIdx.y;
  if (m >= M)
    return;
  const float* row = x + m * N;
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 32)
    most = fmaxf(most, row[i]);
  for (int o = 16; o; o /= 2)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  for (long long i = threadIdx.x; i < N; i += 32)
    sum += expf(row[i] - most);
  for (int o = 16; o; o /= 2)
    sum += __shfl_xor_sync(~0u, sum, o);
  for (long long i = threadIdx.x; i < N; i += 32)
    y[m * N + i] = expf(row[i] - most) / sum;
}
