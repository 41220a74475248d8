/* redteam
trick = "Computes one call in eight and copies its result into the others"
entries = ["B4"]
accept = ["incorrect", "nondeterministic", "cheating_suspected"]
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static std::vector<float> old;
  static unsigned calls = 0;
  if (calls++ % 8 && static_cast<int64_t>(old.size()) >= n) {
    std::memcpy(y, old.data(), n * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  old.assign(y, y + n);
}
