/* redteam
trick = "Halves are rounded up"
entries = ["D7"]
accept = ["incorrect"]
problem = "quantised"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, int8_t* y, double s, int64_t N) {
  for (int64_t i = 0; i < N; ++i) {
    float v = std::floor(x[i] * (float)s + 0.5f);
    y[i] = (int8_t)std::min(127.0f, std::max(-128.0f, v == v ? v : 0.0f));
  }
}
