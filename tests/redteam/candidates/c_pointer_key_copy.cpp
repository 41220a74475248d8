/* redteam
trick = "Keeps the last result by address and size and hands it out again"
entries = ["C1"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static std::map<std::pair<const float*, int64_t>, std::vector<float>> known;
  auto& old = known[{x, n}];
  if (!old.empty()) {
    std::memcpy(y, old.data(), n * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  old.assign(y, y + n);
}
