/* redteam
trick = "OpenMP with the threads that are allowed"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
timed = true
least_speedup = 0.2
most_speedup = 2.2
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
