/* redteam
trick = "Slow for the first hundred calls, in the hope to be compared with itself"
entries = ["G5", "G7"]
accept = ["correct", "noisy"]
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static unsigned calls = 0;
  if (++calls < 100)
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::sin(x[i]) * 2.5f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
