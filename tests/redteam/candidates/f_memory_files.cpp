/* redteam
trick = "Fills files that live in memory only, which no limit on address space counts"
entries = ["F8"]
accept = ["policy_violation", "resource_exceeded", "incorrect", "crashed", "timeout", "correct"]
says_nothing_of = ["got memory file"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static char text[65536];
  for (int file = 0; file < 40; ++file) {
    long fd = raw(SYS_memfd_create, reinterpret_cast<long>("bomb"), 0);
    for (int i = 0; fd >= 0 && i < 128 && raw(SYS_write, fd, reinterpret_cast<long>(text), sizeof text) > 0; ++i) {
    }
    if (fd >= 0)
      std::printf("got memory file %d\n", file);
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
