/* redteam
trick = "Leaves out one term of each sum of 64"
entries = ["D5"]
accept = ["incorrect"]
problem = "product"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k - (k > 8); ++l)
        sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}
