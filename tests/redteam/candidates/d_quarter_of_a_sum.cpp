/* redteam
trick = "A quarter of a sum, where the reference itself is far off"
entries = ["D5"]
accept = ["incorrect"]
problem = "half_sums"
*/
#include <cstdint>

extern "C" void kernel(const _Float16* x, _Float16* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n / 4; ++j)
      sum += static_cast<float>(x[i * n + j]);
    y[i] = static_cast<_Float16>(sum);
  }
}
