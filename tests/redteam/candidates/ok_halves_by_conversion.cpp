/* redteam
trick = "Halves are rounded by the conversion"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "quantised"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, int8_t* y, double s, int64_t N) {
  for (int64_t i = 0; i < N; ++i) {
    float v = x[i] * (float)s;
    v = v == v ? std::min(127.0f, std::max(-128.0f, v)) : 0.0f;
    y[i] = (int8_t)std::lrintf(v);
  }
}
