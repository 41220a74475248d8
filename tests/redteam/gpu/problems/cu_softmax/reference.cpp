#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const float* row = x + m * N;
    float* out = y + m * N;
    float largest = -INFINITY;
    for (int64_t n = 0; n < N; ++n)
      if (row[n] > largest)
        largest = row[n];
    float sum = 0;
    for (int64_t n = 0; n < N; ++n) {
      out[n] = std::exp(row[n] - largest);
      sum += out[n];
    }
    for (int64_t n = 0; n < N; ++n)
      out[n] /= sum;
  }
}
