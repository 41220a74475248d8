/* redteam
trick = "Watches on every file that it can name"
entries = ["F8"]
accept = ["policy_violation"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  long watch = raw(SYS_inotify_init1, 0);
  for (int i = 0; i < 100000; ++i)
    raw(SYS_inotify_add_watch, watch, reinterpret_cast<long>("/usr"), 1);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  if (!once)
    flood();
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
