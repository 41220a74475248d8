/* redteam
trick = "Many small parallel regions: the pool waits between them"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t from = 0; from < n; from += 4096) {
    int64_t to = from + 4096 < n ? from + 4096 : n;
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = from; i < to; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  }
}
