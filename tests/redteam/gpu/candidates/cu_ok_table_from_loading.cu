/* redteam
trick = "honest: a table that is filled as the code is loaded, and one that a first launch fills in each call"
entries = ["C6", "G10"]
accept = ["correct"]
control = true
problem = "cu_root"
*/
/*
[[launch]]
entry = "fill"
grid = 1
block = 32
[[launch]]
entry = "root"
grid = "max(ceildiv(N, 256), 1)"
block = 256
*/
__device__ const float signs[2] = {1.0f, -1.0f};
__device__ float factor;
extern "C" __global__ void fill(const float* x, float* y, double scale, long long N) {
  if (threadIdx.x == 0)
    factor = (float)scale;
}
extern "C" __global__ void root(const float* x, float* y, double scale, long long N) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < N)
    y[i] = sqrtf(x[i] * signs[x[i] < 0]) * factor;
}
