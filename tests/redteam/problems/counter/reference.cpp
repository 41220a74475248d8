#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int64_t calls = 0;
  ++calls;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 1.5f + static_cast<float>(calls % 7);
}
