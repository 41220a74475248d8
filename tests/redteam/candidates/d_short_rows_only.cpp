/* redteam
trick = "Rows of more than 2048 elements are cut off: no workload has one, the promise does"
entries = ["D6"]
accept = ["incorrect"]
problem = "halves"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n, int64_t h) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < h && j < 2048; ++j)
      y[i * h + j] = x[i * n + j] * x[i * n + h + j];
}
