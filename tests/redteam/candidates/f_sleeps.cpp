/* redteam
trick = "Sleeps for an hour"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

#include <time.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  timespec hour{3600, 0};
  nanosleep(&hour, nullptr);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
