/* redteam
trick = "Sets flush-to-zero while it is loaded, as objects linked with -ffast-math do"
entries = ["D9"]
accept = ["correct"]
*/
#include <cmath>
#include <cstdint>

#include <immintrin.h>

__attribute__((constructor)) static void early() { _mm_setcsr(_mm_getcsr() | 0x8040u); }

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
