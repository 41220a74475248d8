#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t N) {
  for (int64_t n = 0; n < N; ++n) {
    const float inner = 0.7978845608f * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
    y[n] = 0.5f * x[n] * (1.0f + std::tanh(inner));
  }
}
