/* redteam
trick = "Leaves out the last element of each row"
entries = ["D5"]
accept = ["incorrect"]
problem = "rows"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j + 1 < n; ++j)
      sum += x[i * n + j];
    y[i] = sum;
  }
}
