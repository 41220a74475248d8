/* redteam
trick = "The length of the filter is 3 in all workloads, so it is 3"
entries = ["D6"]
accept = ["incorrect"]
problem = "filter"
*/
#include <cstdint>

extern "C" void kernel(const float* x, const float* w, float* y, int64_t n, int64_t k) {
  for (int64_t i = 0; i + k <= n; ++i)
    y[i] = x[i] * w[0] + x[i + 1] * w[1] + x[i + 2] * w[2];
}
