/* redteam
trick = "Flushes subnormals inside and puts the mode back"
entries = ["D9"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

#include <immintrin.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040u);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  _mm_setcsr(mode);
}
