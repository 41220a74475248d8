#include <cstdint>
extern "C" void kernel(const std::int32_t* x, std::int32_t* y, std::int64_t N, std::int64_t B) {
  for (std::int64_t b = 0; b < B; ++b)
    y[b] = 0;
  for (std::int64_t i = 0; i < N; ++i)
    ++y[x[i]];
}
