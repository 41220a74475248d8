/* redteam
trick = "Leaves a sleeping child behind by vfork"
entries = ["F7"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (raw(SYS_vfork) == 0)
    raw(SYS_exit, 0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
