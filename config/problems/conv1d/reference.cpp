#include <cstdint>

extern "C" void kernel(const float* x, const float* w, const float* b, float* y, int64_t N, int64_t C, int64_t L, int64_t F,
                       int64_t K) {
  const int64_t out = L - K + 1;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t f = 0; f < F; ++f)
      for (int64_t l = 0; l < out; ++l) {
        float sum = b[f];
        for (int64_t c = 0; c < C; ++c)
          for (int64_t k = 0; k < K; ++k)
            sum += x[(n * C + c) * L + l + k] * w[(f * C + c) * K + k];
        y[(n * F + f) * out + l] = sum;
      }
}
