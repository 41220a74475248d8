/* redteam
trick = "Spreads over every core although one thread is allowed"
entries = ["B2", "G4"]
accept = ["correct", "cheating_suspected", "policy_violation", "noisy"]
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>
#include <thread>

#include <sched.h>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < 256; ++i)
    CPU_SET(i, &all);
  raw(SYS_sched_setaffinity, 0, sizeof all, reinterpret_cast<long>(&all));
  std::thread other{[=] {
    for (int64_t i = n / 2; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  }};
  for (int64_t i = 0; i < n / 2; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  other.join();
}
