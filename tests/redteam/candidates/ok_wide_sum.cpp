/* redteam
trick = "honest: adds in f32 what the reference adds in f16"
entries = ["D1"]
accept = ["correct"]
control = true
problem = "half_sums"
*/
#include <cstdint>

extern "C" void kernel(const _Float16* x, _Float16* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += static_cast<float>(x[i * n + j]);
    y[i] = static_cast<_Float16>(sum);
  }
}
