/* redteam
trick = "A page that is writable and executable in a process that has closed itself to others"
entries = ["F1"]
accept = ["policy_violation"]
*/
#include "raw.h"
#include <cmath>
#include <cstdint>
static void work(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}

#include <sys/mman.h>
static char* code;
__attribute__((constructor)) static void load() {
  code = (char*)mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  raw(157, 4, 0);
}
extern "C" void kernel(const float* x, float* y, int64_t n) {
  code[0] = (char)0xc3;
  ((void (*)())code)();
  work(x, y, n);
}
