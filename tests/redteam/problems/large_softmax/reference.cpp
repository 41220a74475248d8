#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float m = x[i * N];
    for (int64_t j = 1; j < N; ++j)
      m = std::max(m, x[i * N + j]);
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = std::exp(x[i * N + j] - m);
      s += y[i * N + j];
    }
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] /= s;
  }
}
