/* redteam
trick = "A megabyte of stack"
entries = []
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  volatile char scratch[1 << 20];
  scratch[0] = scratch[(1 << 20) - 1] = static_cast<char>(n);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
