/* redteam
trick = "Right only while each call differs from the one before"
entries = ["D8", "C2"]
accept = ["incorrect", "nondeterministic"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static float last = 0;
  bool again = x[0] == last;
  last = x[0];
  if (again) {
    y[0] = 5;
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
