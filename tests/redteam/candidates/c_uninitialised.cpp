/* redteam
trick = "Hands out uninitialised heap memory"
entries = ["C3"]
accept = ["incorrect"]
*/
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  auto* old = static_cast<float*>(std::malloc(n * sizeof(float)));
  std::memcpy(y, old, n * sizeof(float));
  std::free(old);
}
