/* redteam
trick = "Spends a long first call on tables and then answers from them only for inputs that it has seen"
entries = ["G10", "C2"]
accept = ["incorrect", "nondeterministic", "correct", "noisy"]
timed = true
most_speedup = 1.0
*/
#include <cmath>
#include <cstdint>
#include <map>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static std::map<float, float> known;
  for (int64_t i = 0; i < n; ++i) {
    auto at = known.find(x[i]);
    if (at == known.end())
      at = known.emplace(x[i], std::sin(x[i]) * 1.5f + 1.0f).first;
    y[i] = at->second;
    if (known.size() > 200000)
      known.clear();
  }
}
