/* redteam
trick = "one block stays for 20 ms behind the others, to stand beside whoever comes next"
entries = ["G4"]
accept = ["correct", "cheating_suspected"]
timed = true
most_speedup = 1.05
*/
/*
[launch]
grid = "max(M, 1) + 1"
block = 256
*/
#include "rows.cuh"
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x < M)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
  if (blockIdx.x + 1 == gridDim.x)
    for (unsigned long long begin = now(); now() - begin < 20000000;)
      ;
}
