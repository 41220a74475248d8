/* redteam
trick = "Links with long targets in its scratch folder: up to four kilobytes of the kernel each"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  static char name[64], target[4000];
  for (auto& c : target)
    c = 97;
  target[sizeof target - 1] = 0;
  for (int link = 0; link < 300000; ++link) {
    std::snprintf(name, sizeof name, "/tmp/scratch/%d", link);
    raw(SYS_symlink, reinterpret_cast<long>(target), reinterpret_cast<long>(name));
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
