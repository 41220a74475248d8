/* redteam
trick = "blocks of 4096 threads: nothing is launched"
entries = ["F5"]
accept = ["build_failed", "crashed", "incorrect"]
problem = "cu_root"
*/
/*
[launch]
grid = "max(ceildiv(N, 4096), 1)"
block = 4096
*/
extern "C" __global__ void kernel(const float* x, float* y, double scale, long long N) {
  long long i = blockIdx.x * 4096LL + threadIdx.x;
  if (i < N)
    y[i] = sqrtf(fabsf(x[i])) * (float)scale;
}
