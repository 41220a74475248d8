/* redteam
trick = "Scratch memory from malloc, new and mmap"
entries = []
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <sys/mman.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  auto* a = static_cast<float*>(std::malloc(n * 4 + 64));
  auto b = std::make_unique<float[]>(n + 16);
  void* c = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  a[0] = b[0] = static_cast<float*>(c)[0];
  munmap(c, 1 << 20);
  std::free(a);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
