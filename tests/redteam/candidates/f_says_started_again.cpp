/* redteam
trick = "Says \"started\" in the driver's name while it is loaded, and hangs before the last filter"
entries = ["F2"]
accept = ["cheating_suspected"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

__attribute__((constructor)) static void early() {
  struct {
    unsigned long sequence;
    unsigned what, left;
    unsigned long took;
  } message{0, 1, 0, 0};
  raw(SYS_write, 5, reinterpret_cast<long>(&message), sizeof message);
  for (;;)
    raw(SYS_sched_yield);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
