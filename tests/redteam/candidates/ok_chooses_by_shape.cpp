/* redteam
trick = "Makes a plan for a shape when it changes, keeps it while it stays, and looks at the alignment in each call"
entries = ["B4", "D6"]
accept = ["correct"]
control = true
timed = true
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int64_t planned = -1, whole = 0;
  if (planned != n) {
    planned = n;
    whole = n / 8 * 8;
  }
  int64_t i = 0;
  if (reinterpret_cast<uintptr_t>(x) % 32 == 0 && reinterpret_cast<uintptr_t>(y) % 32 == 0) {
    const float* from = static_cast<const float*>(__builtin_assume_aligned(x, 32));
    float* to = static_cast<float*>(__builtin_assume_aligned(y, 32));
    for (; i < whole; ++i)
      to[i] = std::sin(from[i]) * 1.5f + 1.0f;
  }
  for (; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
