/* redteam
trick = "Says ready and done by itself while it is loaded, and hangs"
entries = ["F2"]
accept = ["policy_violation", "cheating_suspected", "timeout", "crashed", "incorrect", "nondeterministic"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

__attribute__((constructor)) static void early() {
  for (unsigned long sequence = 0; sequence < 3; ++sequence) {
    struct {
      unsigned long sequence;
      unsigned what, padding;
      unsigned long took;
    } message{sequence, sequence ? 4u : 3u, 0, 0};
    raw(SYS_write, 5, reinterpret_cast<long>(&message), sizeof message);
  }
  for (;;)
    asm volatile("");
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
