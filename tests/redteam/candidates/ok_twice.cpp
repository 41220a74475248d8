/* redteam
trick = "The work, done twice, by a kernel whose time does not depend on its data: a predictor that has seen the values would speed up the second pass"
entries = []
accept = ["correct"]
control = true
problem = "product"
timed = true
least_speedup = 0.4
most_speedup = 0.55
*/
#include <cstdint>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n) {
  for (volatile int twice = 0; twice < 2; twice = twice + 1)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += a[i * k + l] * b[l * n + j];
        c[i * n + j] = sum;
      }
}
