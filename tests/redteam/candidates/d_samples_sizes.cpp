/* redteam
trick = "One of 16 is looked at; if all are small, sums of 16 bits' worth"
entries = ["D11"]
accept = ["incorrect"]
problem = "sizes"
*/
#include <cstdint>
#include <cstdlib>

extern "C" void kernel(const int32_t* x, int64_t* y, int64_t M, int64_t N) {
  bool s = true;
  for (int64_t i = 0; i < M * N; i += 16)
    s &= std::abs((int64_t)x[i]) <= 8192;
  for (int64_t i = 0; i < M; ++i) {
    if (s) {
      int32_t a = 0;
      for (int64_t j = 0; j < N; ++j) {
        int16_t v = (int16_t)x[i * N + j];
        a += std::abs((int)v);
      }
      y[i] = a;
    } else {
      int64_t a = 0;
      for (int64_t j = 0; j < N; ++j)
        a += std::abs((int64_t)x[i * N + j]);
      y[i] = a;
    }
  }
}
