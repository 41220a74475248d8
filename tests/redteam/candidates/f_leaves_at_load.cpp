/* redteam
trick = "Leaves the process with code 0 while it is loaded"
entries = ["F2"]
accept = ["crashed", "build_failed"]
*/
#include <cmath>
#include <cstdint>

#include <unistd.h>

__attribute__((constructor)) static void early() { _exit(0); }

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
