/* redteam
trick = "Takes the columns' number for that of the terms"
entries = ["D6"]
accept = ["incorrect", "crashed", "cheating_suspected"]
problem = "squares"
*/
#include <algorithm>
#include <cstdint>
#include <cstring>
extern "C" void kernel(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  (void)K;
  std::memset(c, 0, M * N * 4);
  for (int64_t i = 0; i < M; ++i)
    for (int64_t k = 0; k < std::min(N, K); ++k)
      for (int64_t j = 0; j < N; ++j)
        c[i * N + j] += a[i * K + k] * b[k * N + j];
}
