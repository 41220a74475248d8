/* redteam
trick = "Leaves a sleeping child behind by a raw clone"
entries = ["F7"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (raw(SYS_clone, 17) == 0)
    for (;;)
      raw(SYS_pause);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
