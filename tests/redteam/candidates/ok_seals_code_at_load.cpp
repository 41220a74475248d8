/* redteam
trick = "Writes a function while it is loaded and takes the right to write away before it is used, as small compilers do"
entries = ["A5"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

static void* page = MAP_FAILED;

__attribute__((constructor)) static void prepare() {
  page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__x86_64__)
  const unsigned char come_back[] = {0xc3};
#else
  const unsigned char come_back[] = {0xc0, 0x03, 0x5f, 0xd6};
#endif
  std::memcpy(page, come_back, sizeof come_back);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  reinterpret_cast<void (*)()>(page)();
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
