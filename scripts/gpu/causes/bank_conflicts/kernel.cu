// memory: bank_conflicts
/*
[launch]
grid = "T"
block = [32, 8]
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t) {
  __shared__ float tile[32][32];
  int64_t at = blockIdx.x * 1024ll;
  int i = threadIdx.x, j = threadIdx.y;
  float v[4];
  for (int k = 0; k < 4; ++k)
    v[k] = x[at + (j + 8 * k) * 32 + i];
#pragma unroll 1
  for (int turn = 0; turn < 64; ++turn) {
    for (int k = 0; k < 4; ++k)
      tile[i][j + 8 * k] = v[k] + 1;
    __syncwarp();
    for (int k = 0; k < 4; ++k)
      v[k] = tile[i][j + 8 * k];
    __syncwarp();
  }
  for (int k = 0; k < 4; ++k)
    tile[i][j + 8 * k] = v[k];
  __syncthreads();
  for (int k = 0; k < 4; ++k)
    y[at + (j + 8 * k) * 32 + i] = tile[j + 8 * k][i];
}
