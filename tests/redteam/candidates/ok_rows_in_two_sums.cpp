/* redteam
trick = "Rows in two sums"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "segments"
*/
#include <cstdint>

extern "C" void kernel(const int32_t* o, const int32_t* c, const float* v, const float* x, float* y,
                       int64_t M, int64_t K, int64_t Z) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0, t = 0;
    int32_t k = o[i];
    for (; k + 1 < o[i + 1]; k += 2) {
      s += v[k] * x[c[k]];
      t += v[k + 1] * x[c[k + 1]];
    }
    if (k < o[i + 1])
      s += v[k] * x[c[k]];
    y[i] = s + t;
  }
}
