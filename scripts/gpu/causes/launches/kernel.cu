// overhead: launch
/*
[[launch]]
entry = "begin"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
[[launch]]
entry = "again"
grid = "ceildiv(N, 256)"
block = 256
*/
extern "C" __global__ void begin(const int* x, int* y, int64_t n) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i] - 10;
}
extern "C" __global__ void again(const int* x, int* y, int64_t n) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n)
    y[i] += 1;
}
