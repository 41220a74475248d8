/* redteam
trick = "the grid does not cover the last elements: it is rounded down"
entries = ["D7"]
accept = ["refused"]
problem = "cu_root"
*/
/*
[launch]
grid = "max(N / 256, 1)"
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, double scale, long long N) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < N)
    y[i] = sqrtf(fabsf(x[i])) * (float)scale;
}
