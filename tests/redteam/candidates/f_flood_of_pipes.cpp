/* redteam
trick = "Pipes, each full and as large as they may be"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  static char text[65536];
  for (int pipe = 0; pipe < 2500; ++pipe) {
    int ends[2];
    if (raw(SYS_pipe2, reinterpret_cast<long>(ends), 04000) != 0)
      return;
    raw(SYS_fcntl, ends[1], 1031, 1 << 20);
    while (raw(SYS_write, ends[1], reinterpret_cast<long>(text), sizeof text) > 0) {
    }
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
