#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, const float* gamma, const float* beta, float* y, double eps, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const float* row = x + m * N;
    float mean = 0;
    for (int64_t n = 0; n < N; ++n)
      mean += row[n];
    mean /= static_cast<float>(N);
    float variance = 0;
    for (int64_t n = 0; n < N; ++n)
      variance += (row[n] - mean) * (row[n] - mean);
    variance /= static_cast<float>(N);
    const float scale = 1.0f / std::sqrt(variance + static_cast<float>(eps));
    for (int64_t n = 0; n < N; ++n)
      y[m * N + n] = (row[n] - mean) * scale * gamma[n] + beta[n];
  }
}
