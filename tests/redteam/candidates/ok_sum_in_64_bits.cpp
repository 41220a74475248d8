/* redteam
trick = "Sums in two halves of 64 bits"
entries = ["D11"]
accept = ["correct"]
control = true
problem = "sizes"
*/
#include <cstdint>
extern "C" void kernel(const int32_t* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t a = 0, b = 0;
    for (int64_t j = 0; j < N; ++j) {
      int64_t v = x[i * N + j];
      (j & 1 ? a : b) += v < 0 ? -v : v;
    }
    y[i] = a + b;
  }
}
