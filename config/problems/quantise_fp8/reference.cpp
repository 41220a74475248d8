#include "ke.h"

#include <cmath>
#include <cstdint>

extern "C" void kernel(const uint16_t* x, uint8_t* y, float* scale, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    float largest = 1e-12f; // a row of zeros has a scale, too
    for (int64_t n = 0; n < N; ++n)
      largest = std::fmax(largest, std::fabs(ke_bf16_to_float(x[m * N + n])));
    scale[m] = largest / 448.0f;
    for (int64_t n = 0; n < N; ++n)
      y[m * N + n] = ke_float_to_f8e4m3(ke_bf16_to_float(x[m * N + n]) / scale[m]);
  }
}
