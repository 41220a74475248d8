/* redteam
trick = "Writes one file beyond the limit"
entries = ["F8"]
accept = ["correct", "resource_exceeded", "crashed", "incorrect"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static char text[65536];
  if (std::FILE* f = std::fopen("/dev/shm/large", "wb")) {
    for (int i = 0; i < 4096; ++i)
      std::fwrite(text, 1, sizeof text, f);
    std::fclose(f);
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
