/* redteam
trick = "more shared memory than there is, by an expression that grows with the shape"
entries = ["F5"]
accept = ["build_failed", "crashed", "incorrect"]
*/
/*
[launch]
grid = "max(M, 1)"
block = 256
shared = "N * 1024"
*/
#include "rows.cuh"
extern __shared__ float space[];
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (blockIdx.x < M)
    softmax_row(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
