/* redteam
trick = "Gives the input's pages back to the system"
entries = ["D4"]
accept = ["cheating_suspected", "incorrect", "crashed", "policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include <sys/mman.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  auto page = (reinterpret_cast<uintptr_t>(x) + 4095) & ~uintptr_t{4095};
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  madvise(reinterpret_cast<void*>(page), 8192, MADV_REMOVE);
}
