/* redteam
trick = "Puts a filter of system calls of its own over the driver"
entries = ["F6"]
accept = ["policy_violation", "correct", "crashed", "cheating_suspected"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  struct {
    unsigned short code;
    unsigned char jt, jf;
    unsigned k;
  } allow{0x06, 0, 0, 0x7fff0000};
  struct {
    unsigned short length;
    void* program;
  } filter{1, &allow};
  raw(SYS_prctl, 38, 1, 0, 0, 0);
  raw(SYS_prctl, 22, 2, reinterpret_cast<long>(&filter));
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
