#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, const uint8_t* m, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0;
    for (int64_t j = 0; j < N; ++j)
      if (m[i * N + j])
        s = std::max(s, std::fabs(x[i * N + j]));
    y[i] = s;
  }
}
