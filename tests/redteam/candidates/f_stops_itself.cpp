/* redteam
trick = "Stops itself"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  raw(SYS_kill, raw(SYS_getpid), 19);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
