/* redteam
trick = "A lower bound without branches"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "lower_bounds"
*/
#include <cstdint>

extern "C" void kernel(const float* s, const float* q, int32_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    int64_t b = 0, n = N;
    while (n > 0) {
      int64_t h = n / 2;
      bool l = s[b + h] < q[i];
      b = l ? b + h + 1 : b;
      n = l ? n - h - 1 : h;
    }
    y[i] = (int32_t)b;
  }
}
