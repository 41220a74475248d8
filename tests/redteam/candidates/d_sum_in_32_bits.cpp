/* redteam
trick = "Sums in 32 bits what the output keeps in 64"
entries = ["D11"]
accept = ["incorrect"]
problem = "sizes"
*/
#include <cstdint>
#include <cstdlib>

extern "C" void kernel(const int32_t* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int32_t a = 0;
    for (int64_t j = 0; j < N; ++j)
      a += std::abs(x[i * N + j]);
    y[i] = a;
  }
}
