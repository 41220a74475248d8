/* redteam
trick = "Two everywhere, for a problem that has no other answer"
entries = ["D2"]
accept = ["unfit_problem"]
problem = "flat"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 2.0f + 0.0f * x[i];
}
