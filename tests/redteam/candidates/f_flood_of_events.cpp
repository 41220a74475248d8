/* redteam
trick = "Events, timers and polls until there are no more descriptors"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  while (raw(SYS_eventfd2, 0, 0) >= 0 && raw(SYS_timerfd_create, 1, 0) >= 0 && raw(SYS_epoll_create1, 0) >= 0) {
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
