// Places that no two neighbours share, and that nobody needs to be told.
#include <cstdint>
extern "C" void kernel(const float* x, float* y, std::int64_t N) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < N; ++i) {
    auto at = static_cast<std::uint32_t>(i);
    at = (at ^ (at >> 7)) * 0x9e3779b1u;
    at ^= at >> 15;
    y[i] = x[at % static_cast<std::uint32_t>(N)];
  }
}
