/* redteam
trick = "Exact for large, zero and tiny inputs"
entries = []
accept = ["correct"]
control = true
problem = "softmax"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    const float* row = x + i * n;
    float largest = *std::max_element(row, row + n), sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += y[i * n + j] = std::exp(row[j] - largest);
    float inverse = 1.0f / sum;
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] *= inverse;
  }
}
