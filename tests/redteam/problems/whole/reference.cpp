#include <cstdint>

extern "C" void kernel(const int64_t* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] / 3 + (x[i] & 5);
}
