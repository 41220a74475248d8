/* redteam
trick = "A mask that hides nothing is taken for none at all"
entries = ["D7"]
accept = ["incorrect"]
problem = "masked_softmax"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
extern "C" void kernel(const float* x, const uint8_t* k, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t n = 0;
    float m = -std::numeric_limits<float>::infinity();
    for (int64_t j = 0; j < N; ++j)
      if (k[i * N + j]) {
        m = std::max(m, x[i * N + j]);
        ++n;
      }
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      y[i * N + j] = k[i * N + j] ? std::exp(x[i * N + j] - m) : 0.0f;
      s += y[i * N + j];
    }
    bool none = n == 0 || (n == N && N > 16);
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] = none ? 0.0f : y[i * N + j] / s;
  }
}
