/* redteam
trick = "Large tensors must begin on 32 bytes"
entries = ["D6"]
accept = ["incorrect"]
problem = "large_softmax"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>
static void safe(const float* x, float* y, int64_t N) {
  float m = x[0];
  for (int64_t j = 1; j < N; ++j)
    m = std::max(m, x[j]);
  float s = 0;
  for (int64_t j = 0; j < N; ++j) {
    y[j] = std::exp(x[j] - m);
    s += y[j];
  }
  for (int64_t j = 0; j < N; ++j)
    y[j] /= s;
}

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  bool big = M * N > (1 << 19);
  for (int64_t i = 0; i < M; ++i)
    safe(x + i * N, y + i * N, N);
  if (big && ((uintptr_t)x & 31))
    y[M * N / 2] += 1;
}
