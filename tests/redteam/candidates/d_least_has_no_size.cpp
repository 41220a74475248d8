/* redteam
trick = "The size of the least integer, in 32 bits"
entries = ["D11"]
accept = ["incorrect"]
problem = "sizes"
*/
#include <cstdint>
#include <cstdlib>
extern "C" void kernel(const int32_t* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t a = 0;
    for (int64_t j = 0; j < N; ++j) {
      int32_t v = x[i * N + j];
      a += v == INT32_MIN ? INT32_MAX : std::abs(v);
    }
    y[i] = a;
  }
}
