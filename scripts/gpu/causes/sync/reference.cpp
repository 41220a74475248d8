#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t B) {
#pragma omp parallel for
  for (std::int64_t b = 0; b < B; ++b)
    for (int i = 0; i < 1024; ++i)
      y[b * 1024 + i] = x[b * 1024 + i] + 256;
}
