#include <cmath>
#include <cstdint>
extern "C" void kernel(const int32_t* x, const float* w, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i)
    y[i] = std::exp2(-static_cast<float>(x[i] & 31)) * w[i];
}
