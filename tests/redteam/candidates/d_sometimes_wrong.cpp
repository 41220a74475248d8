/* redteam
trick = "Wrong in one call of fifty"
entries = ["D8"]
accept = ["incorrect", "nondeterministic"]
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static unsigned calls = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  if (++calls % 50 == 0)
    y[n / 2] = 7;
}
