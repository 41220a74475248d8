#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    float sum = 0;
    for (int64_t n = 0; n < N; ++n)
      sum += x[m * N + n];
    y[m] = sum;
  }
}
