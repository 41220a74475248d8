/* redteam
trick = "A weight of zero has a logarithm"
entries = ["D7"]
accept = ["incorrect"]
problem = "entropy"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* p, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0;
    for (int64_t j = 0; j < N; ++j)
      s -= p[i * N + j] * std::log(p[i * N + j]);
    y[i] = s;
  }
}
