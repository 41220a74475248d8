#include <cstdint>
extern "C" void kernel(const float* x, float* acc, double a, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    acc[i] += static_cast<float>(a) * x[i];
}
