/* redteam
trick = "Aborts"
entries = ["F8"]
accept = ["crashed"]
*/
#include <cmath>
#include <cstdint>
#include <cstdlib>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  std::abort();
}
