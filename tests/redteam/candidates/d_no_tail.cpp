/* redteam
trick = "Forgets what is left after blocks of eight"
entries = ["D6"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  n = n / 8 * 8;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
