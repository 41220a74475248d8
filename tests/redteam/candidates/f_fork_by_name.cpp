/* redteam
trick = "Calls fork"
entries = ["F7"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include <unistd.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (fork() == 0)
    _exit(0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
