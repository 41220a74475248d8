/* redteam
trick = "One row of eight is looked at; if all have a single 1, so have the others"
entries = ["D7"]
accept = ["incorrect"]
problem = "picks"
*/
#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* h, const float* t, float* y, int64_t B, int64_t C, int64_t D) {
  bool hot = true;
  for (int64_t b = 0; b < B && hot; b += 8) {
    int ones = 0, other = 0;
    for (int64_t c = 0; c < C; ++c) {
      ones += h[b * C + c] == 1.0f;
      other += h[b * C + c] != 1.0f && h[b * C + c] != 0;
    }
    hot = ones == 1 && !other;
  }
  for (int64_t b = 0; b < B; ++b) {
    if (hot) {
      const float* r = h + b * C;
      int64_t c = std::find(r, r + C, 1.0f) - r;
      if (c < C) {
        std::memcpy(y + b * D, t + c * D, D * 4);
        continue;
      }
    }
    for (int64_t d = 0; d < D; ++d) {
      float s = 0;
      for (int64_t c = 0; c < C; ++c)
        s += h[b * C + c] * t[c * D + d];
      y[b * D + d] = s;
    }
  }
}
