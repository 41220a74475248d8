/* redteam
trick = "Division by a multiplication that is right for all 64 bits"
entries = ["D9"]
accept = ["correct"]
control = true
problem = "whole"
*/
#include <cstdint>

extern "C" void kernel(const int64_t* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    auto high = static_cast<int64_t>((static_cast<__int128>(x[i]) * 0x5555555555555556LL) >> 64);
    y[i] = high - (x[i] >> 63) + (x[i] & 5);
  }
}
