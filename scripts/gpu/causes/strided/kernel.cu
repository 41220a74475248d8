// memory: uncoalesced
/*
[launch]
grid = ["ceildiv(M, 256)", "N"]
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t M, int64_t N) {
  int64_t m = blockIdx.x * 256ll + threadIdx.x, n = blockIdx.y;
  if (m < M)
    y[n * M + m] = x[m * N + n];
}
