/* redteam
trick = "Takes any shape until it has been called sixty times, and from then on those of the timed calls only"
entries = ["B4", "D6"]
accept = ["incorrect", "nondeterministic", "crashed"]
timed = true
most_speedup = 1.0
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static int calls = 0;
  static int64_t often[2];
  if (++calls > 60 && n != 4096 && n != 60000)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
