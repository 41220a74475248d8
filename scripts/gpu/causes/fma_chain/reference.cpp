#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t N) {
#pragma omp parallel for simd
  for (std::int64_t i = 0; i < N; ++i) {
    float v = x[i];
    for (int turn = 0; turn < 2048; ++turn)
      v = v * 0.5f + 0.25f * x[i];
    y[i] = v;
  }
}
