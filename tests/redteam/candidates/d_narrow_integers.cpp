/* redteam
trick = "64-bit integers are computed in 32 bits"
entries = ["D9"]
accept = ["incorrect"]
problem = "whole"
*/
#include <cstdint>

extern "C" void kernel(const int64_t* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    auto v = static_cast<int32_t>(x[i]);
    y[i] = v / 3 + (v & 5);
  }
}
