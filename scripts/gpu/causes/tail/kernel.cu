// occupancy: tail
/*
[launch]
grid = "ceildiv(N, 1024)"
block = 1024
shared = 163840
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t n) {
  extern __shared__ float scratch[];
  int64_t i = blockIdx.x * 1024ll + threadIdx.x;
  float own = i < n ? x[i] : 0, v = own, step = 0.25f * own;
#pragma unroll 16
  for (int turn = 0; turn < 512; ++turn)
    v = fmaf(v, 0.5f, step);
  scratch[threadIdx.x] = v;
  if (i < n)
    y[i] = scratch[threadIdx.x];
}
