/* redteam
trick = "Four lanes, and the first of equal ones by its place"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "largest_at"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, int64_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    const float* r = x + i * N;
    if (N < 8) {
      int64_t b = 0;
      for (int64_t j = 1; j < N; ++j)
        if (r[j] > r[b])
          b = j;
      y[i] = b;
      continue;
    }
    if (std::isnan(r[0])) {
      y[i] = 0;
      continue;
    }
    int64_t b[4] = {0, 0, 0, 0};
    for (int64_t j = 1; j < N; ++j)
      if (r[j] > r[b[j & 3]])
        b[j & 3] = j;
    int64_t w = b[0];
    for (int k = 1; k < 4; ++k)
      if (r[b[k]] > r[w] || (r[b[k]] == r[w] && b[k] < w))
        w = b[k];
    y[i] = w;
  }
}
