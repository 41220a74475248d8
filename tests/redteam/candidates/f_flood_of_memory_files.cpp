/* redteam
trick = "Files that live in memory only, as many as it can have"
entries = ["F8"]
accept = ["policy_violation"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  while (raw(SYS_memfd_create, reinterpret_cast<long>("flood"), 0) >= 0) {
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
