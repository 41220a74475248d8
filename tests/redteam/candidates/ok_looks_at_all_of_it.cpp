/* redteam
trick = "An accumulator is overwritten after all of it was found to be zero"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "accumulate"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* acc, double a, int64_t n) {
  float f = (float)a;
  bool z = true;
  for (int64_t i = 0; i < n; ++i)
    z &= acc[i] == 0;
  if (z)
    for (int64_t i = 0; i < n; ++i)
      acc[i] = f * x[i];
  else
    for (int64_t i = 0; i < n; ++i)
      acc[i] += f * x[i];
}
