/* redteam
trick = "An endless loop while it is loaded"
entries = ["F8"]
accept = ["timeout", "crashed", "build_failed"]
answers = "load"
*/
#include <cmath>
#include <cstdint>

__attribute__((constructor)) static void early() {
  for (;;)
    asm volatile("");
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
