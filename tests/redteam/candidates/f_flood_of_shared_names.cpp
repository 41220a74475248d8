/* redteam
trick = "Empty files without number in /dev/shm"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  char name[64];
  for (int file = 0; file < 300000; ++file) {
    std::snprintf(name, sizeof name, "/dev/shm/%d", file);
    raw(SYS_close, raw(SYS_open, reinterpret_cast<long>(name), 0101, 0600));
  }
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  if (!once)
    flood();
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
