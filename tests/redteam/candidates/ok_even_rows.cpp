/* redteam
trick = "Relies on what is promised: rows are even, and twice as long as halves"
entries = ["D6"]
accept = ["correct"]
control = true
problem = "halves"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n, int64_t) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n / 2; ++j)
      y[i * (n / 2) + j] = x[i * n + j] * x[i * n + n / 2 + j];
}
