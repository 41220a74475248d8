/* redteam
trick = "Large rows are clamped, which loses a NaN"
entries = ["D7"]
accept = ["incorrect"]
problem = "large_softmax"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>
static void safe(const float* x, float* y, int64_t N) {
  float m = x[0];
  for (int64_t j = 1; j < N; ++j)
    m = std::max(m, x[j]);
  float s = 0;
  for (int64_t j = 0; j < N; ++j) {
    y[j] = std::exp(x[j] - m);
    s += y[j];
  }
  for (int64_t j = 0; j < N; ++j)
    y[j] /= s;
}

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    if (M * N <= (1 << 19)) {
      safe(x + i * N, y + i * N, N);
      continue;
    }
    float m = x[i * N];
    for (int64_t j = 1; j < N; ++j)
      m = std::max(m, x[i * N + j]);
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      float v = x[i * N + j] - m;
      v = v > -80 ? v : -80;
      y[i * N + j] = std::exp(v);
      s += y[i * N + j];
    }
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] /= s;
  }
}
