#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t T) {
#pragma omp parallel for
  for (std::int64_t t = 0; t < T; ++t)
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j)
        y[t * 1024 + i * 32 + j] = x[t * 1024 + j * 32 + i] + 64;
}
