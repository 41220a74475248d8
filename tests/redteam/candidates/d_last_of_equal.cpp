/* redteam
trick = "The last of equal ones in long rows, not the first"
entries = ["D7"]
accept = ["incorrect"]
problem = "largest_at"
*/
#include <cstdint>

extern "C" void kernel(const float* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t b = 0;
    for (int64_t j = 1; j < N; ++j)
      if (N >= 64 ? x[i * N + j] >= x[i * N + b] : x[i * N + j] > x[i * N + b])
        b = j;
    y[i] = b;
  }
}
