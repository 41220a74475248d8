/* redteam
trick = "Takes memory without end in pieces of a hundred bytes, and goes on when there is none"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdlib>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;) {
    auto* p = static_cast<volatile char*>(std::malloc(100));
    if (p)
      p[0] = p[99] = 1;
  }
}
