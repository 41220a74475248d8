/* redteam
trick = "Sums by halves"
entries = []
accept = ["correct"]
control = true
problem = "rows"
*/
#include <cmath>
#include <cstdint>

static float sum(const float* x, int64_t n) {
  if (n <= 8) {
    float s = 0;
    for (int64_t i = 0; i < n; ++i)
      s += x[i];
    return s;
  }
  return sum(x, n / 2) + sum(x + n / 2, n - n / 2);
}

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    y[i] = sum(x + i * n, n);
}
