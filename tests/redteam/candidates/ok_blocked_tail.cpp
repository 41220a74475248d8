/* redteam
trick = "Blocks of 16 and a tail"
entries = []
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int l = 0; l < 16; ++l)
      y[i + l] = std::sin(x[i + l]) * 1.5f + 1.0f;
  for (; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
