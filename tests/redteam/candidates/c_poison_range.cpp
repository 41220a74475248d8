/* redteam
trick = "Computes only where the output holds what is outside of what the function yields"
entries = ["C5"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  bool fresh = n > 0 && (y[0] < -0.5f || y[0] > 2.5f);
  if (!fresh)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
