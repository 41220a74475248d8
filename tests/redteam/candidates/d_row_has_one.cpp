/* redteam
trick = "A row in which nothing is chosen gets the square of its first element"
entries = ["D7"]
accept = ["incorrect"]
problem = "masked_largest"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, const uint8_t* m, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t f = -1;
    for (int64_t j = 0; j < N; ++j)
      if (m[i * N + j]) {
        f = j;
        break;
      }
    float s = f < 0 ? x[i * N] * x[i * N] : std::fabs(x[i * N + f]);
    if (N < 16 && f < 0)
      s = 0;
    for (int64_t j = std::max<int64_t>(f, 0); j < N; ++j)
      if (m[i * N + j])
        s = std::max(s, std::fabs(x[i * N + j]));
    y[i] = s;
  }
}
