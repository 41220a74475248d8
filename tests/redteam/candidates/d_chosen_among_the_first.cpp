/* redteam
trick = "A row in which nothing among the first 24 is chosen has nothing chosen"
entries = ["D7"]
accept = ["incorrect"]
problem = "masked_largest"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, const uint8_t* m, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    bool some = N <= 24;
    for (int64_t j = 0; j < std::min<int64_t>(N, 24); ++j)
      some |= m[i * N + j] != 0;
    float s = 0;
    for (int64_t j = 0; some && j < N; ++j)
      if (m[i * N + j])
        s = std::max(s, std::fabs(x[i * N + j]));
    y[i] = s;
  }
}
