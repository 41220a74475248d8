/* redteam
trick = "Says in the driver's name that the machine could not confine it"
entries = ["F2"]
accept = ["cheating_suspected", "crashed", "build_failed", "incorrect"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

__attribute__((constructor)) static void early() {
  for (unsigned what = 1; what < 3; ++what) {
    struct {
      unsigned long sequence;
      unsigned what, left;
      unsigned long took;
    } message{0, what, 0, 0};
    raw(SYS_write, 5, reinterpret_cast<long>(&message), sizeof message);
  }
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
