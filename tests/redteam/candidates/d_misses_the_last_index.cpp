/* redteam
trick = "The last index is left out"
entries = ["D7"]
accept = ["incorrect"]
problem = "segments"
*/
#include <cstdint>

extern "C" void kernel(const int32_t* o, const int32_t* c, const float* v, const float* x, float* y,
                       int64_t M, int64_t K, int64_t Z) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0;
    for (int32_t k = o[i]; k < o[i + 1]; ++k)
      if (c[k] != K - 1 || K < 64)
        s += v[k] * x[c[k]];
    y[i] = s;
  }
}
