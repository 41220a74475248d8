/* redteam
trick = "An exception that it catches itself"
entries = []
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>
#include <stdexcept>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  try {
    if (n > 0)
      throw std::runtime_error{"first pass"};
  } catch (const std::exception&) {
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
