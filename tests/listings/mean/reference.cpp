#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t N) {
  double sum = 0;
  for (int64_t i = 0; i < N; ++i)
    sum += x[i];
  y[0] = static_cast<float>(sum / static_cast<double>(N));
}
