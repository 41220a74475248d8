/* redteam
trick = "Leaves the process with code 0"
entries = ["F2"]
accept = ["crashed"]
*/
#include <cmath>
#include <cstdint>

#include <unistd.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  _exit(0);
}
