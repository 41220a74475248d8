/* redteam
trick = "no bound: the last block writes behind the result"
entries = ["F3", "D7"]
accept = ["refused"]
problem = "cu_root"
*/
/*
[launch]
grid = "ceildiv(N, 256) + 1"
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, double scale, long long N) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  y[i] = sqrtf(fabsf(x[i < N ? i : 0])) * (float)scale;
}
