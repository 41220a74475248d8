/* redteam
trick = "Templates without end"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include <cstdint>
template <int A, int B> struct grow {
  static constexpr int value = grow<A - 1, B * 2>::value + grow<A - 1, B * 2 + 1>::value;
};
template <int B> struct grow<0, B> {
  static constexpr int value = B;
};
extern "C" void kernel(const float*, float* y, int64_t) { y[0] = grow<24, 1>::value; }
