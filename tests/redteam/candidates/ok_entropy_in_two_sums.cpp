/* redteam
trick = "Weights of zero are left out, in two sums"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "entropy"
*/
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* p, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s[2] = {};
    for (int64_t j = 0; j < N; ++j)
      if (float v = p[i * N + j]; v > 0)
        s[j & 1] -= v * std::log(v);
    y[i] = s[0] + s[1];
  }
}
