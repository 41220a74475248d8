/* redteam
trick = "From the end"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "scattered"
*/
#include <cstdint>
extern "C" void kernel(const int32_t* p, const float* x, float* y, int64_t N) {
  for (int64_t i = N; i-- > 0;)
    y[p[i]] = x[i];
}
