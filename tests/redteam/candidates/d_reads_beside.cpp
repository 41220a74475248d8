/* redteam
trick = "Reads far beyond its input"
entries = ["D6"]
accept = ["correct", "crashed"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  volatile float sum = 0;
  for (int64_t i = 0; i < 4096; ++i)
    sum = sum + x[n + i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
