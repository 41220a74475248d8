/* redteam
trick = "Forks while the loader resolves its symbols"
entries = ["F10"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" {
static void right(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
using function = void (*)(const float*, float*, int64_t);
static function choose() {
  if (raw(SYS_fork) == 0)
    for (;;)
      raw(SYS_pause);
  return right;
}
void kernel(const float* x, float* y, int64_t n) __attribute__((ifunc("choose")));
}
