/* redteam
trick = "Blocks of terms, of any extents"
entries = ["D6"]
accept = ["correct"]
control = true
problem = "squares"
*/
#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::memset(c, 0, M * N * 4);
  for (int64_t k0 = 0; k0 < K; k0 += 32)
    for (int64_t i = 0; i < M; ++i)
      for (int64_t k = k0; k < std::min(K, k0 + 32); ++k)
        for (int64_t j = 0; j < N; ++j)
          c[i * N + j] += a[i * K + k] * b[k * N + j];
}
