/* redteam
trick = "Computes only where the output holds what is the same everywhere"
entries = ["C5"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  bool fresh = n > 1 && y[0] == y[1] && y[1] == y[n - 1];
  if (!fresh)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
