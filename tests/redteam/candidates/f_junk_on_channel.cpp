/* redteam
trick = "Fills the channel to the judge with junk"
entries = ["F2"]
accept = ["cheating_suspected", "crashed", "timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static char junk[4096];
  for (int i = 0; i < 10000; ++i)
    if (raw(SYS_write, 5, reinterpret_cast<long>(junk), sizeof junk) < 0)
      return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
