/* redteam
trick = "Ends while it is loaded, with the words of a sandbox that does not start"
entries = ["F2"]
accept = ["crashed"]
*/
#include <cmath>
#include <cstdint>

#include <unistd.h>

#include "raw.h"

__attribute__((constructor)) static void early() {
  const char text[] = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n";
  raw(SYS_write, 2, reinterpret_cast<long>(text), sizeof text - 1);
  raw(SYS_exit_group, 1);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
