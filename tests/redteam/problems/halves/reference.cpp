#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n, int64_t h) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < h; ++j)
      y[i * h + j] = x[i * n + j] * x[i * n + h + j];
}
