/* redteam
trick = "Takes the address for the data"
entries = ["C1"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static const float* seen = nullptr;
  if (seen == x)
    return;
  seen = x;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
