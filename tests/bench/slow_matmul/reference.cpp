#include <cstdint>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += a[m * K + k] * b[k * N + n];
      c[m * N + n] = sum;
    }
}
