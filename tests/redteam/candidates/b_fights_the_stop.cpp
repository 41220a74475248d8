/* redteam
trick = "A thread sends itself the signal that ends a stop, without end"
entries = ["B5", "F6"]
accept = ["resource_exceeded", "cheating_suspected", "policy_violation", "correct", "noisy"]
problem = "wave2"
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>
#include <thread>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool started = false;
  if (!started)
    std::thread{[] {
      for (;;)
        raw(SYS_kill, raw(SYS_getpid), 18);
    }}.detach();
  started = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
