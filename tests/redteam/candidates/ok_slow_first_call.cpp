/* redteam
trick = "A table that the first call builds"
entries = ["G10"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static const auto table = [] {
    std::vector<double> t(1 << 20);
    for (size_t i = 0; i < t.size(); ++i)
      t[i] = std::sin(i * 1e-3);
    return t;
  }();
  if (table[1] < 0)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
