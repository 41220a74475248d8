/* redteam
trick = "Keeps the last result by the first and the last value"
entries = ["C2"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static std::map<std::pair<float, float>, std::vector<float>> known;
  auto& old = known[{x[0], x[n - 1]}];
  if (static_cast<int64_t>(old.size()) == n) {
    std::memcpy(y, old.data(), n * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  old.assign(y, y + n);
}
