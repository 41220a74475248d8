/*
[launch]
grid = "M"
block = 256
*/
// Maximum and sum in one pass over the row.
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  __shared__ float mosts[8], sums[8];
  const float* row = x + blockIdx.x * N;
  float most = -INFINITY, sum = 0;
  for (long long i = threadIdx.x; i < N; i += 256) {
    float v = row[i], m = fmaxf(most, v);
    sum = (most == m ? sum : sum * expf(most - m)) + (v == m && isinf(v) ? expf(v - v) : expf(v - m));
    most = m;
  }
  for (int o = 16; o; o /= 2) {
    float m2 = __shfl_xor_sync(~0u, most, o), s2 = __shfl_xor_sync(~0u, sum, o), m = fmaxf(most, m2);
    sum = (most == m ? sum : sum * expf(most - m)) + (m2 == m ? s2 : s2 * expf(m2 - m));
    most = m;
  }
  if (threadIdx.x % 32 == 0)
    mosts[threadIdx.x / 32] = most, sums[threadIdx.x / 32] = sum;
  __syncthreads();
  most = -INFINITY;
  for (int i = 0; i < 8; i++)
    most = fmaxf(most, mosts[i]);
  sum = 0;
  for (int i = 0; i < 8; i++)
    sum += mosts[i] == most ? sums[i] : sums[i] * expf(mosts[i] - most);
  for (long long i = threadIdx.x; i < N; i += 256)
    y[blockIdx.x * N + i] = expf(row[i] - most) / sum;
}
