/* redteam
trick = "A std::jthread for each call, which meets the caller at a std::barrier and a std::latch"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
*/
#include <barrier>
#include <cmath>
#include <cstdint>
#include <latch>
#include <thread>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t half = n / 2;
  std::barrier both{2};
  std::latch written{1};
  std::jthread other{[&] {
    for (int64_t i = half; i < n; ++i)
      y[i] = std::sin(x[i]);
    both.arrive_and_wait();
    for (int64_t i = 0; i < half; ++i)
      y[i] = y[i] * 1.5f + 1.0f;
    written.count_down();
  }};
  for (int64_t i = 0; i < half; ++i)
    y[i] = std::sin(x[i]);
  both.arrive_and_wait();
  for (int64_t i = half; i < n; ++i)
    y[i] = y[i] * 1.5f + 1.0f;
  written.wait();
}
