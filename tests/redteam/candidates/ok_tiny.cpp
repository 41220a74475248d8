/* redteam
trick = "The reference again, far shorter than the way to it and back"
entries = ["A7"]
accept = ["correct"]
control = true
problem = "tiny"
timed = true
least_speedup = 0.8
most_speedup = 1.15
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 1.5f + 1.0f;
}
