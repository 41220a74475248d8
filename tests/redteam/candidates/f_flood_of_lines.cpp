/* redteam
trick = "A hundred megabytes of text, then the right answer"
entries = ["F8"]
accept = ["correct", "timeout"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool done = false;
  if (!done)
    for (int i = 0; i < 1000000; ++i)
      std::fprintf(stderr, "%0100d\n", i);
  done = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
