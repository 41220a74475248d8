/* redteam
trick = "Adds to one place from two threads without a lock"
entries = ["D8"]
accept = ["incorrect", "nondeterministic"]
problem = "wave2"
*/
#include <cmath>
#include <cstdint>

#include <sched.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 0;
#pragma omp parallel num_threads(2)
  for (int64_t i = 0; i < n; ++i) {
    volatile float* at = y + i;
    float old = *at;
    if (i % 64 == 0)
      sched_yield(); // the other one comes in between
    *at = old + (std::sin(x[i]) * 1.5f + 1.0f) / 2;
  }
}
