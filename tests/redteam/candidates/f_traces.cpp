/* redteam
trick = "Traces its parent"
entries = ["F6"]
accept = ["correct", "crashed", "policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  raw(SYS_ptrace, 16, raw(SYS_getppid));
  raw(SYS_ptrace, 0, 0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
