/* redteam
trick = "64-bit integers are computed in double precision"
entries = ["D9"]
accept = ["incorrect"]
problem = "whole"
*/
#include <cstdint>

extern "C" void kernel(const int64_t* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<int64_t>(static_cast<double>(x[i]) / 3) + (x[i] & 5);
  }
}
