#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t M, std::int64_t N) {
#pragma omp parallel for
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t m = 0; m < M; ++m)
      y[n * M + m] = x[m * N + n];
}
