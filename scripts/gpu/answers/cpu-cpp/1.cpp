#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
#pragma omp parallel for
  for (int64_t m = 0; m < M; ++m) {
    const float* row = x + m * N;
    float most = -INFINITY;
    for (int64_t n = 0; n < N; ++n)
      most = std::max(most, row[n]);
    double sum = 0;
    for (int64_t n = 0; n < N; ++n)
      sum += y[m * N + n] = std::exp(row[n] - most);
    for (int64_t n = 0; n < N; ++n)
      y[m * N + n] = static_cast<float>(y[m * N + n] / sum);
  }
}
