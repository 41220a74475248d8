#include "ke.h"

#include <cstdint>

extern "C" void kernel(const uint16_t* a, const uint16_t* b, uint16_t* c, int64_t M, int64_t N, int64_t K) {
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += ke_bf16_to_float(a[m * K + k]) * ke_bf16_to_float(b[n * K + k]);
      c[m * N + n] = ke_float_to_bf16(sum);
    }
}
