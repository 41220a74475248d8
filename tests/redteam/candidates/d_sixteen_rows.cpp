/* redteam
trick = "There are 16 rows in all of the workloads"
entries = ["D6"]
accept = ["incorrect", "crashed", "cheating_suspected"]
problem = "halves"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t, int64_t n, int64_t h) {
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < h; ++j)
      y[i * h + j] = x[i * n + j] * x[i * n + h + j];
}
