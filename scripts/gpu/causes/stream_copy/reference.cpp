#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t N) {
#pragma omp parallel for simd
  for (std::int64_t i = 0; i < N; ++i)
    y[i] = 2 * x[i] + 1;
}
