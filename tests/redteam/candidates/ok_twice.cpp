/* redteam
trick = "The work, done twice"
entries = []
accept = ["correct"]
control = true
timed = true
least_speedup = 0.4
most_speedup = 0.55
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (volatile int k = 0; k < 2; k = k + 1)
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
