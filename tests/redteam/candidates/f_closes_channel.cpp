/* redteam
trick = "Closes the channel to the judge"
entries = ["F2"]
accept = ["crashed", "cheating_suspected"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  raw(SYS_close, 4);
  raw(SYS_close, 5);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
