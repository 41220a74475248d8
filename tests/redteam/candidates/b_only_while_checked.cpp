/* redteam
trick = "Computes the first two hundred calls and skips the rest"
entries = ["B4", "F1"]
accept = ["incorrect", "nondeterministic", "cheating_suspected"]
timed = true
most_speedup = 1.1
problem = "tiny"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static unsigned calls = 0;
  if (calls++ >= 40)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 1.5f + 1.0f;
}
