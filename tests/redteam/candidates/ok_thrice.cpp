/* redteam
trick = "The work, done three times and with an honest clock: what the attacks on the clock are compared with. The ratio is above 1/3, since the predictor has seen the values of the second and third pass"
entries = []
accept = ["correct"]
control = true
timed = true
least_speedup = 0.25
most_speedup = 0.5
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (volatile int k = 0; k < 3; k = k + 1)
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
