/* redteam
trick = "Integers are taken for 0 to 7, as the timed ones are"
entries = ["D9"]
accept = ["incorrect"]
problem = "whole"
*/
#include <cstdint>

static const int64_t table[8] = {0, 1, 0, 2, 5, 6, 6, 7};

extern "C" void kernel(const int64_t* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = table[x[i] & 7];
  }
}
