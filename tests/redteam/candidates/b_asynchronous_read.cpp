/* redteam
trick = "Leaves the last part of its output to the kernel's asynchronous input"
entries = ["B2"]
accept = ["policy_violation", "incorrect", "nondeterministic", "cheating_suspected", "correct"]
says_nothing_of = ["asynchronous input is there"]
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  unsigned long context = 0;
  if (raw(SYS_io_setup, 8, reinterpret_cast<long>(&context)) == 0)
    std::printf("asynchronous input is there\n");
}
