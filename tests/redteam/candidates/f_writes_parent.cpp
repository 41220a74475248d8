/* redteam
trick = "Writes into the memory of its parent"
entries = ["F6"]
accept = ["correct", "crashed", "policy_violation"]
says_nothing_of = ["opened /proc"]
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/%ld/mem", raw(SYS_getppid));
  if (std::FILE* f = std::fopen(name, "r+b")) {
    std::printf("opened %s\n", name);
    std::fflush(stdout);
    std::fclose(f);
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
