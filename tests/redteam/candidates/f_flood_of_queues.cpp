/* redteam
trick = "Message queues of both kinds"
entries = ["F8"]
accept = ["policy_violation"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  for (int i = 0; i < 1000; ++i)
    raw(SYS_msgget, 0, 01600);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  if (!once)
    flood();
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
