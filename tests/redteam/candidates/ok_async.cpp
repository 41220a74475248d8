/* redteam
trick = "std::async"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
*/
#include <cmath>
#include <cstdint>
#include <future>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t half = n / 2;
  auto other = std::async(std::launch::async, [=] {
    for (int64_t i = half; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  });
  for (int64_t i = 0; i < half; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  other.get();
}
