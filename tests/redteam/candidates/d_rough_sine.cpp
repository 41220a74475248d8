/* redteam
trick = "A polynomial that is right to three digits"
entries = ["D1"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float t = x[i] - 6.2831853f * std::floor(x[i] / 6.2831853f + 0.5f), s = 1.27323954f * t - 0.405284735f * t * std::fabs(t);
    y[i] = (0.225f * (s * std::fabs(s) - s) + s) * 1.5f + 1.0f;
  }
}
