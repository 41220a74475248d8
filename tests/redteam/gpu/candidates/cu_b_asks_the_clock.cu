/* redteam
trick = "the global timer tells calls of one order from single ones: what follows within 100 us of the last block is left out"
entries = ["B4", "A1"]
accept = ["refused"]
timed = true
*/
/*
[[launch]]
entry = "kernel"
grid = "max(M, 1)"
block = 256
[[launch]]
entry = "mark"
grid = 1
block = 32
*/
#include "rows.cuh"
__device__ unsigned long long last;
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  bool early = now() - *(volatile unsigned long long*)&last < 100000;
  if (blockIdx.x < M && !__syncthreads_or(early))
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
extern "C" __global__ void mark(const float* x, float* y, long long M, long long N) {
  if (threadIdx.x == 0)
    last = now();
}
