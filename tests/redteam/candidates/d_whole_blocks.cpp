/* redteam
trick = "Halves are cut into blocks of 16, as all of the workloads allow and the promise does not"
entries = ["D6"]
accept = ["incorrect"]
problem = "halves"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n, int64_t h) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j + 16 <= h; j += 16)
      for (int64_t l = j; l < j + 16; ++l)
        y[i * h + l] = x[i * n + l] * x[i * n + h + l];
}
