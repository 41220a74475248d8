/* redteam
trick = "A softmax that multiplies by the reciprocal of the sum"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "large_softmax"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    const float* r = x + i * N;
    float* o = y + i * N;
    float m = r[0];
    for (int64_t j = 1; j < N; ++j)
      m = std::max(m, r[j]);
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      o[j] = std::exp(r[j] - m);
      s += o[j];
    }
    s = 1 / s;
    for (int64_t j = 0; j < N; ++j)
      o[j] *= s;
  }
}
