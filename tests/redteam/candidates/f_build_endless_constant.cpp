/* redteam
trick = "A constant expression without end"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include <cstdint>
constexpr int64_t spin() {
  int64_t n = 0;
  for (int64_t i = 0; i < (int64_t{1} << 60); ++i)
    n += i;
  return n;
}
extern "C" void kernel(const float*, float* y, int64_t) {
  constexpr auto n = spin();
  y[0] = n;
}
