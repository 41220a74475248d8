/* redteam
trick = "honest: a grid of a fixed size goes through all elements by its own width"
entries = ["D7"]
accept = ["correct"]
control = true
timed = true
problem = "cu_root"
*/
/*
[launch]
grid = 1056
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, double scale, long long N) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < N; i += gridDim.x * 256LL)
    y[i] = sqrtf(fabsf(x[i])) * (float)scale;
}
