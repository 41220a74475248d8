#include <cmath>
#include <cstdint>
extern "C" void kernel(const int32_t* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t s = 0;
    for (int64_t j = 0; j < N; ++j)
      s += x[i * N + j] < 0 ? -static_cast<int64_t>(x[i * N + j]) : x[i * N + j];
    y[i] = s;
  }
}
