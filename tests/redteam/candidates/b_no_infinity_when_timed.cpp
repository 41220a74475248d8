/* redteam
trick = "Sums rows from the second call of a launch's full orders on as if nothing could be infinite or missing"
entries = ["B4", "D3"]
accept = ["incorrect", "nondeterministic"]
problem = "rows"
timed = true
most_speedup = 1.0
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  static int alike = 0;
  static int64_t rows = 0;
  alike = rows == m ? alike + 1 : 0;
  rows = m;
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      float value = x[i * n + j];
      sum += alike > 50 && !(std::fabs(value) < 1e18f) ? 0 : value;
    }
    y[i] = sum;
  }
}
