#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, int8_t* y, double s, int64_t N) {
  for (int64_t i = 0; i < N; ++i) {
    float v = std::nearbyint(x[i] * static_cast<float>(s));
    y[i] = static_cast<int8_t>(std::min(127.0f, std::max(-128.0f, v == v ? v : 0.0f)));
  }
}
