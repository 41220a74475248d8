/* redteam
trick = "Rows of 512 entries at most"
entries = ["D7"]
accept = ["incorrect"]
problem = "segments"
*/
#include <algorithm>
#include <cstdint>

extern "C" void kernel(const int32_t* o, const int32_t* c, const float* v, const float* x, float* y,
                       int64_t M, int64_t K, int64_t Z) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0;
    int32_t e = std::min(o[i + 1], o[i] + 512);
    for (int32_t k = o[i]; k < e; ++k)
      s += v[k] * x[c[k]];
    y[i] = s;
  }
}
