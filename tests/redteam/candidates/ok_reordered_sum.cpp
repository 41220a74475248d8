/* redteam
trick = "Four sums at once"
entries = []
accept = ["correct"]
control = true
problem = "rows"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float s[4] = {0, 0, 0, 0};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
      for (int l = 0; l < 4; ++l)
        s[l] += x[i * n + j + l];
    for (; j < n; ++j)
      s[0] += x[i * n + j];
    y[i] = (s[0] + s[1]) + (s[2] + s[3]);
  }
}
