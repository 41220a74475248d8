/* redteam
trick = "Recurses without end"
entries = ["F8"]
accept = ["crashed", "resource_exceeded"]
answers = "call"
*/
#include <cmath>
#include <cstdint>

static int deeper(int n) {
  volatile char room[1024];
  room[0] = static_cast<char>(n);
  return deeper(n + 1) + room[0];
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  x += deeper(static_cast<int>(n)) > 0 ? 0 : 1;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
