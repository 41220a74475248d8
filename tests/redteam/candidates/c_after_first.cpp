/* redteam
trick = "Writes nothing after the first call"
entries = ["C4"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int calls = 0;
  if (calls++)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
