/* redteam
trick = "Filters are read in threes, as all of the workloads allow"
entries = ["D6"]
accept = ["incorrect"]
problem = "filter"
*/
#include <cstdint>

extern "C" void kernel(const float* x, const float* w, float* y, int64_t n, int64_t k) {
  for (int64_t i = 0; i + k <= n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j + 3 <= k; j += 3)
      sum += x[i + j] * w[j] + x[i + j + 1] * w[j + 1] + x[i + j + 2] * w[j + 2];
    y[i] = sum;
  }
}
