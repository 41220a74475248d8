// memory: bandwidth
/*
[launch]
grid = "ceildiv(N, 1024)"
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t n) {
  int64_t at = blockIdx.x * 1024ll + threadIdx.x;
  float v[4];
  for (int k = 0; k < 4; ++k)
    v[k] = at + 256 * k < n ? x[at + 256 * k] : 0;
  for (int k = 0; k < 4; ++k)
    if (at + 256 * k < n)
      y[at + 256 * k] = 2 * v[k] + 1;
}
