/* redteam
trick = "Makes code after it was loaded"
entries = ["E3", "A5"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  long at = raw(SYS_mmap, 0, 4096, 3, 0x22, -1, 0);
  auto* code = reinterpret_cast<unsigned char*>(at);
  code[0] = 0xc3;
  if (raw(SYS_mprotect, at, 4096, 5) == 0)
    reinterpret_cast<void (*)()>(at)();
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
