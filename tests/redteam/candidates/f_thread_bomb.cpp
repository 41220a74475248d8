/* redteam
trick = "Starts threads without end"
entries = ["F8"]
accept = ["resource_exceeded", "crashed", "timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <thread>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (;;)
    std::thread{[] {
      for (;;)
        asm volatile("");
    }}.detach();
}
