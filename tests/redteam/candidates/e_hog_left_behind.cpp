/* redteam
trick = "Leaves a child behind that loads the machine while the reference is timed"
entries = ["E4", "F7"]
accept = ["policy_violation", "cheating_suspected", "crashed", "resource_exceeded"]
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  if (!once && raw(SYS_fork) == 0)
    for (;;)
      asm volatile("");
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
