#include <cstdint>
extern "C" void kernel(const std::int32_t* x, std::int32_t* y, std::int64_t N) {
  for (std::int64_t i = 0; i < N; ++i)
    y[i] = 2 * x[i] + 1;
}
