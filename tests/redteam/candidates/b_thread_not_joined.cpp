/* redteam
trick = "Returns while a thread is still at the last tenth"
entries = ["B2"]
accept = ["incorrect", "cheating_suspected", "nondeterministic", "crashed"]
timed = true
problem = "wave2"
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>
#include <thread>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t most = n - n / 10;
  std::thread{[=] {
    for (int64_t i = most; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  }}.detach();
  for (int64_t i = 0; i < most; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
