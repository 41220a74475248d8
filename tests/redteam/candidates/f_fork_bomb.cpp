/* redteam
trick = "Forks without end"
entries = ["F8"]
accept = ["policy_violation", "resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;)
    raw(SYS_fork);
}
