/* redteam
trick = "Writes nothing and hopes for old memory"
entries = ["C3"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  (void)x;
  (void)y;
  (void)n;
}
