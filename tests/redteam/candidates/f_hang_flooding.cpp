/* redteam
trick = "An endless flood of text"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstring>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static char text[65536];
  std::memset(text, 'x', sizeof text);
  for (;;)
    if (raw(SYS_write, 1, reinterpret_cast<long>(text), sizeof text) < 0)
      raw(SYS_write, 2, reinterpret_cast<long>(text), sizeof text);
}
