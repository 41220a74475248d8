#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t N) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < N; ++i) {
    float sum = 0;
    for (int k = 0; k < 200; ++k)
      sum += x[(i + 16411 * k) % N] * 0.00390625f;
    y[i] = sum;
  }
}
