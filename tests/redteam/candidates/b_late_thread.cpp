/* redteam
trick = "Returns at once; a thread computes later"
entries = ["B2"]
accept = ["incorrect", "cheating_suspected", "nondeterministic", "crashed"]
*/
#include <cmath>
#include <cstdint>
#include <thread>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  std::thread{[=] {
    for (volatile int i = 0; i < 20000000; i = i + 1) {
    }
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  }}.detach();
}
