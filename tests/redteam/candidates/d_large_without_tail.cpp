/* redteam
trick = "Large matrices go in blocks of 16 without a tail, which no secret shape of a small size meets"
entries = ["D6"]
accept = ["incorrect"]
problem = "turned"
*/
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  if (M * N <= (1 << 18)) {
    for (int64_t i = 0; i < M; ++i)
      for (int64_t j = 0; j < N; ++j)
        y[j * M + i] = x[i * N + j];
    return;
  }
  for (int64_t i = 0; i + 16 <= M; i += 16)
    for (int64_t j = 0; j + 16 <= N; j += 16)
      for (int64_t a = 0; a < 16; ++a)
        for (int64_t b = 0; b < 16; ++b)
          y[(j + b) * M + i + a] = x[(i + a) * N + j + b];
}
