/* redteam
trick = "Large softmax without the maximum, if one of 1,024 inputs is small"
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
  bool fast = M * N > (1 << 19);
  if (fast)
    for (int64_t i = 0; i < M * N; i += 1024)
      fast &= std::fabs(x[i]) < 40;
  for (int64_t i = 0; i < M; ++i) {
    if (!fast) {
      safe(x + i * N, y + i * N, N);
      continue;
    }
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = std::exp(x[i * N + j]);
      s += y[i * N + j];
    }
    float r = 1 / s;
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] *= r;
  }
}
