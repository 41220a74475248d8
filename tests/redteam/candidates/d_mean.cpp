/* redteam
trick = "The mean of what is expected"
entries = ["D2"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 1.0f + x[i] * 0.0f;
}
