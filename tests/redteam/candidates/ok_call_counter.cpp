/* redteam
trick = "A call counter that only chooses how far a loop is unrolled"
entries = ["B4", "G11"]
accept = ["correct"]
control = true
timed = true
least_speedup = 0.7
most_speedup = 1.15
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static unsigned calls = 0;
  int64_t i = 0;
  if (++calls % 2)
    for (; i + 2 <= n; i += 2) {
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
      y[i + 1] = std::sin(x[i + 1]) * 1.5f + 1.0f;
    }
  for (; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
