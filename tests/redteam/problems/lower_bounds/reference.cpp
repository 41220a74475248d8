#include <algorithm>
#include <cstdint>
extern "C" void kernel(const float* s, const float* q, int32_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i)
    y[i] = static_cast<int32_t>(std::lower_bound(s, s + N, q[i]) - s);
}
