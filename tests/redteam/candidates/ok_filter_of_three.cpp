/* redteam
trick = "A filter of three is unrolled, others go the long way"
entries = ["D6"]
accept = ["correct"]
control = true
problem = "filter"
*/
#include <cstdint>

extern "C" void kernel(const float* x, const float* w, float* y, int64_t n, int64_t k) {
  if (k == 3) {
    for (int64_t i = 0; i + k <= n; ++i)
      y[i] = x[i] * w[0] + x[i + 1] * w[1] + x[i + 2] * w[2];
    return;
  }
  for (int64_t i = 0; i + k <= n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += x[i + j] * w[j];
    y[i] = sum;
  }
}
