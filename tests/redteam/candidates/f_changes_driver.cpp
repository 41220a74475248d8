/* redteam
trick = "Overwrites the driver's own code and data"
entries = ["F1"]
accept = ["crashed", "incorrect", "cheating_suspected", "policy_violation", "correct"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  auto* frame = static_cast<volatile uint64_t*>(__builtin_frame_address(0));
  for (int i = 40; i < 400; ++i)
    frame[i] = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
