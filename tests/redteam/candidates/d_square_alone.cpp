/* redteam
trick = "Takes one extent for all three, as the workloads have it"
entries = ["D6"]
accept = ["incorrect", "crashed", "cheating_suspected"]
problem = "squares"
*/
#include <cstdint>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  int64_t n = M;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j)
      c[i * n + j] = 0;
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
