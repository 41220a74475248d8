#include <cstdint>
extern "C" void kernel(const float* h, const float* t, float* y, int64_t B, int64_t C, int64_t D) {
  for (int64_t b = 0; b < B; ++b)
    for (int64_t d = 0; d < D; ++d) {
      float s = 0;
      for (int64_t c = 0; c < C; ++c)
        s += h[b * C + c] * t[c * D + d];
      y[b * D + d] = s;
    }
}
