/* redteam
trick = "Changes its input"
entries = ["D4"]
accept = ["cheating_suspected", "incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  const_cast<float*>(x)[n / 2] += 1.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
