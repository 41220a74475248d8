/* redteam
trick = "Asks for a writable and executable page while it is loaded, and writes code into it when it is called"
entries = ["A5", "F10"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

static void* page = nullptr;

__attribute__((constructor)) static void prepare() {
  page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  const unsigned char come_back[] = {0xc3};
  std::memcpy(page, come_back, sizeof come_back);
  reinterpret_cast<void (*)()>(page)();
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
