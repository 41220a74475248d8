// latency: dependency_chain
/*
[launch]
grid = "ceildiv(N, 64)"
block = 64
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * 64ll + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i], step = 0.25f * x[i];
#pragma unroll 16
  for (int turn = 0; turn < 2048; ++turn)
    v = fmaf(v, 0.5f, step);
  y[i] = v;
}
