// occupancy: registers
/*
[launch]
grid = "ceildiv(N, 256)"
block = 256
*/
extern "C" __global__ void __launch_bounds__(256, 1) kernel(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n)
    return;
  // All of them live at once, and each is changed by the one before: nobody may do them one by one.
  float v[200];
#pragma unroll
  for (int k = 0; k < 200; ++k)
    v[k] = k * 0.001f;
  int64_t at = i;
#pragma unroll 1
  for (int turn = 0; turn < 24; ++turn) {
#pragma unroll
    for (int k = 0; k < 200; ++k)
      v[k] = fmaf(v[k], 0.5f, v[(k + 1) % 200] * 0.25f);
  }
  float other = 0;
#pragma unroll
  for (int k = 0; k < 200; ++k)
    other += v[k];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 200; ++k) {
    sum += x[at] * 0.00390625f;
    at += 16411;
    at = at >= n ? at % n : at;
  }
  y[i] = sum + other * 0.0f;
}
