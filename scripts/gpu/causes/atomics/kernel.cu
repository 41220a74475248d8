// memory: atomics
/*
[[launch]]
entry = "clear"
grid = "ceildiv(B, 256)"
block = 256
[[launch]]
entry = "count"
grid = "ceildiv(N, 256)"
block = 256
*/
extern "C" __global__ void clear(const int* x, int* y, int64_t n, int64_t b) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i < b)
    y[i] = 0;
}
extern "C" __global__ void count(const int* x, int* y, int64_t n, int64_t b) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n)
    atomicAdd(y + x[i], 1);
}
