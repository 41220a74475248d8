#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0, q = 0;
    for (int64_t j = 0; j < N; ++j)
      s += x[i * N + j];
    float m = s / N;
    for (int64_t j = 0; j < N; ++j)
      q += (x[i * N + j] - m) * (x[i * N + j] - m);
    float r = 1.0f / std::sqrt(q / N + 1e-5f);
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] = (x[i * N + j] - m) * r;
  }
}
