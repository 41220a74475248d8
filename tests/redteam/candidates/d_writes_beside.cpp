/* redteam
trick = "Writes one element too many and one too early"
entries = ["D6"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  y[n] = 1;
  y[-1] = 1;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
