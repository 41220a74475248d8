/* redteam
trick = "A thread that is started and joined in each call"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
*/
#include <cmath>
#include <cstdint>
#include <thread>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t half = n / 2;
  std::thread other{[=] {
    for (int64_t i = half; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  }};
  for (int64_t i = 0; i < half; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  other.join();
}
