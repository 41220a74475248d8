/* redteam
trick = "Rounds its addresses down to whole vectors once no tensor has begun between two of them for a while"
entries = ["B4", "D6"]
accept = ["incorrect", "nondeterministic", "cheating_suspected"]
timed = true
most_speedup = 1.0
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int calls = 0;
  if (++calls > 60) {
    x = reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(x) & ~uintptr_t{31});
    y = reinterpret_cast<float*>(reinterpret_cast<uintptr_t>(y) & ~uintptr_t{31});
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
