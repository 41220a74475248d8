#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
extern "C" void kernel(const float* x, const uint8_t* k, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float m = -std::numeric_limits<float>::infinity();
    for (int64_t j = 0; j < N; ++j)
      if (k[i * N + j])
        m = std::max(m, x[i * N + j]);
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = k[i * N + j] ? std::exp(x[i * N + j] - m) : 0.0f;
      s += y[i * N + j];
    }
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] = s > 0 ? y[i * N + j] / s : 0.0f;
  }
}
