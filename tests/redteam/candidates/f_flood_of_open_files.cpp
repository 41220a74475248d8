/* redteam
trick = "Opens files until there are no more descriptors"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  for (int i = 0; !once && i < 100000; ++i)
    if (raw(SYS_open, reinterpret_cast<long>("/dev/null"), 0) < 0)
      break;
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
