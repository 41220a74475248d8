/* redteam
trick = "Goes forward in one call and backward in the next, to meet what is still in a cache"
entries = ["G11"]
accept = ["correct", "noisy"]
problem = "stream"
timed = true
most_speedup = 1.08
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static unsigned calls = 0;
  if (++calls % 2)
    for (int64_t i = 0; i < n; ++i)
      y[i] = x[i] * 1.5f + 1.0f;
  else
    for (int64_t i = n; i-- > 0;)
      y[i] = x[i] * 1.5f + 1.0f;
}
