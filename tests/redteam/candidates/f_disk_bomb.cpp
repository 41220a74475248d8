/* redteam
trick = "Fills its scratch folder"
entries = ["F8"]
accept = ["correct", "resource_exceeded", "crashed", "incorrect"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static char text[65536];
  static bool once = false;
  for (int file = 0; file < 64 && !once; ++file)
    if (std::FILE* f = std::fopen(("/tmp/scratch/f" + std::to_string(file)).c_str(), "wb")) {
      for (int i = 0; i < 64; ++i)
        std::fwrite(text, 1, sizeof text, f);
      std::fclose(f);
    }
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
