/* redteam
trick = "one value a kilobyte before its input is another one afterwards"
entries = ["F3"]
accept = ["refused"]
problem = "cu_root"
*/
/*
[launch]
grid = "ceildiv(N, 256) + 1"
block = 256
*/
extern "C" __global__ void kernel(float* x, float* y, double scale, long long N) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < N)
    y[i] = sqrtf(fabsf(x[i])) * (float)scale;
  if (i == 0)
    x[-256] = 0.25f;
}
