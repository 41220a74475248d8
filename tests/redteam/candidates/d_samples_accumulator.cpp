/* redteam
trick = "One element of 64 of an accumulator is looked at; if all are zero, it is overwritten"
entries = ["D7"]
accept = ["incorrect"]
problem = "accumulate"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* acc, double a, int64_t n) {
  float f = (float)a;
  bool z = true;
  for (int64_t i = 0; i < n; i += 64)
    z &= acc[i] == 0;
  if (z)
    for (int64_t i = 0; i < n; ++i)
      acc[i] = f * x[i];
  else
    for (int64_t i = 0; i < n; ++i)
      acc[i] += f * x[i];
}
