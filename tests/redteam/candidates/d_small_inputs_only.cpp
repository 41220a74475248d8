/* redteam
trick = "A series that holds for small inputs"
entries = ["D7"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float t = x[i], q = t * t;
    y[i] = t * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110))))) * 1.5f + 1.0f;
  }
}
