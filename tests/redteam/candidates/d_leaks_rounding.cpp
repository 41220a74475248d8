/* redteam
trick = "Leaves another rounding mode and another x87 precision behind"
entries = ["D9"]
accept = ["correct", "incorrect"]
*/
#include <cfenv>
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  std::fesetround(FE_UPWARD);
  unsigned short narrow = 0x007f;
  asm volatile("fldcw %0" ::"m"(narrow));
}
