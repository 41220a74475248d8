#include <cstdint>

extern "C" void kernel(const float* x, const float* w, float* y, int64_t n, int64_t k) {
  for (int64_t i = 0; i + k <= n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += x[i + j] * w[j];
    y[i] = sum;
  }
}
