/* redteam
trick = "Rows of which all is chosen are taken for rows of nothing, as their count ends at eight bits"
entries = ["D7"]
accept = ["incorrect"]
problem = "masked_largest"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, const uint8_t* m, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t n = 0;
    for (int64_t j = 0; j < N; ++j)
      n += m[i * N + j];
    float s = 0;
    for (int64_t j = 0; (N < 64 || n < N) && j < N; ++j)
      if (m[i * N + j])
        s = std::max(s, std::fabs(x[i * N + j]));
    y[i] = s;
  }
}
