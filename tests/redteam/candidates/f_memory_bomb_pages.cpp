/* redteam
trick = "Takes pages from the kernel without end, and goes on when there are none"
entries = ["F8"]
accept = ["resource_exceeded", "crashed"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;) {
    long at = raw(SYS_mmap, 0, 1 << 20, 3, 0x22, -1, 0);
    if (at > 0)
      for (int i = 0; i < 1 << 20; i += 4096)
        reinterpret_cast<volatile char*>(at)[i] = 1;
  }
}
