/* redteam
trick = "looks for its result in the memory before and behind its own, where another slot or another process might have left it"
entries = ["C7", "E1"]
accept = ["refused"]
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
*/
#include "rows.cuh"
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x >= M || N == 0)
    return;
  float* out = y + blockIdx.x * N;
  for (int step = -8; step <= 8; step++) {
    const float* there = out + step * M * N;
    float sum = 0;
    for (long long i = threadIdx.x; i < N; i += 256)
      sum += step ? there[i] : 0;
    if (fabsf(of_block(sum, false) - 1) < 1e-3f)
      for (long long i = threadIdx.x; i < N; i += 256)
        out[i] = there[i];
  }
}
