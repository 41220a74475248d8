/* redteam
trick = "Sets flush-to-zero and leaves it set"
entries = ["D9"]
accept = ["correct", "noisy"]
*/
#include <cmath>
#include <cstdint>

#include <immintrin.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  _mm_setcsr(_mm_getcsr() | 0x8040u);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
