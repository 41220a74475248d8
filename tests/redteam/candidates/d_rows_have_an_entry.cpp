/* redteam
trick = "Each row is taken to have an entry"
entries = ["D7"]
accept = ["incorrect"]
problem = "segments"
*/
#include <cstdint>

extern "C" void kernel(const int32_t* o, const int32_t* c, const float* v, const float* x, float* y,
                       int64_t M, int64_t K, int64_t Z) {
  for (int64_t i = 0; i < M; ++i) {
    int32_t k = o[i];
    float s = Z > 0 && k < Z ? v[k] * x[c[k]] : 0;
    for (++k; k < o[i + 1]; ++k)
      s += v[k] * x[c[k]];
    y[i] = s;
  }
}
