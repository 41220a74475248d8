/* redteam
trick = "Throws what nobody catches"
entries = ["F8"]
accept = ["crashed"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  throw 7;
}
