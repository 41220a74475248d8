/* redteam
trick = "Counts in 15 bits"
entries = ["D6"]
accept = ["incorrect", "crashed"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int16_t most = static_cast<int16_t>(n);
  for (int16_t i = 0; i < most; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
