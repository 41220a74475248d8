/* redteam
trick = "One wrong block of sixteen"
entries = ["D10"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  for (int64_t i = n / 2; i < n / 2 + 16 && i < n; ++i)
    y[i] += 0.001f;
}
