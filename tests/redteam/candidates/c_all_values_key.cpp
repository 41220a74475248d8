/* redteam
trick = "Remembers whole inputs: right, and worth nothing where no input comes twice"
entries = ["C2"]
accept = ["correct", "noisy"]
timed = true
most_speedup = 1.1
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static std::vector<float> last_x, last_y;
  if (static_cast<int64_t>(last_x.size()) == n && std::memcmp(last_x.data(), x, n * sizeof(float)) == 0) {
    std::memcpy(y, last_y.data(), n * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  last_x.assign(x, x + n);
  last_y.assign(y, y + n);
}
