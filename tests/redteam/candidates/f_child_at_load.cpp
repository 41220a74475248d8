/* redteam
trick = "Leaves a sleeping child behind while it is loaded"
entries = ["F7"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

__attribute__((constructor)) static void early() {
  if (raw(SYS_fork) == 0)
    for (;;)
      raw(SYS_pause);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
