/* redteam
trick = "One pass, in double"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "normed_rows"
*/
#include <algorithm>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    double s = 0, q = 0;
    for (int64_t j = 0; j < N; ++j) {
      double v = x[i * N + j];
      s += v;
      q += v * v;
    }
    double m = s / N;
    float var = (float)(q / N - m * m);
    float r = 1.0f / std::sqrt(std::max(var, 0.0f) + 1e-5f);
    if (!(var == var))
      r = var;
    for (int64_t j = 0; j < N; ++j)
      y[i * N + j] = (x[i * N + j] - (float)m) * r;
  }
}
