/* redteam
trick = "Writes its input and puts the old value back before it returns"
entries = ["C4"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (n > 0) {
    auto* scratch = const_cast<float*>(x);
    float old = scratch[0];
    const_cast<volatile float*>(scratch)[0] = 1.0f;
    const_cast<volatile float*>(scratch)[0] = old;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
