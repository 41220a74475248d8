/* redteam
trick = "All powers that a code may name in a table"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "codes"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const int32_t* x, const float* w, float* y, int64_t N) {
  float T[32];
  for (int i = 0; i < 32; ++i)
    T[i] = std::ldexp(1.0f, -i);
  for (int64_t i = 0; i < N; ++i)
    y[i] = T[x[i] & 31] * w[i];
}
