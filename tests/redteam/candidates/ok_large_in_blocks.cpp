/* redteam
trick = "Blocks with tails"
entries = ["D6"]
accept = ["correct"]
control = true
problem = "turned"
*/
#include <algorithm>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; i += 16)
    for (int64_t j = 0; j < N; j += 16)
      for (int64_t a = i; a < std::min(M, i + 16); ++a)
        for (int64_t b = j; b < std::min(N, j + 16); ++b)
          y[b * M + a] = x[a * N + b];
}
