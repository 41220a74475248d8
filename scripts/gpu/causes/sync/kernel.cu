// latency: sync
/*
[launch]
grid = "B"
block = 1024
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t) {
  int64_t i = blockIdx.x * 1024ll + threadIdx.x;
  float v = x[i], turns = 0;
  for (int turn = 0; turn < 256; ++turn) {
    __syncthreads();
    turns += 1;
  }
  y[i] = v + turns;
}
