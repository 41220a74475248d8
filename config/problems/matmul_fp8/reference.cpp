#include "ke.h"

#include <cstdint>

extern "C" void kernel(const uint8_t* A, const uint8_t* B, const float* scale_a, const float* scale_b, uint16_t* C,
                       int64_t M, int64_t N, int64_t K) {
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += ke_f8e4m3_to_float(A[m * K + k]) * ke_f8e4m3_to_float(B[k * N + n]);
      C[m * N + n] = ke_float_to_bf16(sum * scale_a[m] * scale_b[n]);
    }
}
