/* redteam
trick = "An endless loop in the thirtieth call"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int calls = 0;
  if (++calls == 30)
    for (;;)
      asm volatile("");
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
