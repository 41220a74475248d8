#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += x[i * n + j];
    y[i] = sum;
  }
}
