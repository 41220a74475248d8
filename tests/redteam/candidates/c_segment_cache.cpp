/* redteam
trick = "Keeps results in a System V segment that outlives the process"
entries = ["C6", "F7"]
accept = ["correct", "incorrect", "policy_violation", "crashed"]
runs = 2
*/
#include <cmath>
#include <cstdint>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  long id = raw(SYS_shmget, 0x6b65, n * 4 + 64, 01666);
  if (id >= 0) {
    auto at = reinterpret_cast<float*>(raw(SYS_shmat, id, 0, 0));
    if (reinterpret_cast<long>(at) > 0)
      at[0] = x[0];
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
