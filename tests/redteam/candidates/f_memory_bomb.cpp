/* redteam
trick = "Takes memory without end in large pieces"
entries = ["F8"]
accept = ["resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;) {
    auto* p = new char[64 << 20];
    for (int i = 0; i < 64 << 20; i += 4096)
      const_cast<volatile char*>(p)[i] = 1;
  }
}
