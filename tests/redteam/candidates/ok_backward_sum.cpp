/* redteam
trick = "Sums from the end, in double"
entries = []
accept = ["correct"]
control = true
problem = "rows"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    double s = 0;
    for (int64_t j = n; j-- > 0;)
      s += x[i * n + j];
    y[i] = static_cast<float>(s);
  }
}
