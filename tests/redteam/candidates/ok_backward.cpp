/* redteam
trick = "One direction, from the end: nothing that the evaluator leaves in a cache may favour it"
entries = ["G1", "G11"]
accept = ["correct"]
control = true
problem = "stream"
timed = true
least_speedup = 0.7
most_speedup = 1.12
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = n; i-- > 0;)
    y[i] = x[i] * 1.5f + 1.0f;
}
