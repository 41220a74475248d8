/* redteam
trick = "An endless loop"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;)
    asm volatile("");
}
