/* redteam
trick = "The same in lanes"
entries = ["D7"]
accept = ["incorrect"]
problem = "normed_rows"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0, q = 0;
#pragma omp simd reduction(+ : s, q)
    for (int64_t j = 0; j < N; ++j) {
      float v = x[i * N + j];
      s += v;
      q += v * v;
    }
    float m = s / N, var = q / N - m * m;
    float r = 1.0f / std::sqrt(std::max(var, 0.0f) + 1e-5f);
    if (!(var == var))
      r = var;
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] = (x[i * N + j] - m) * r;
  }
}
